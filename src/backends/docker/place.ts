import type Docker from "dockerode";
import { ToolgateError } from "../../errors.ts";
import type { Turns } from "../../lib/turns.ts";
import { engineFailure, statusOf } from "./failure.ts";
import type { Watch } from "./watch.ts";

/** A running container, and who listens to what happens to it. */
export interface ContainerPlace {
  readonly container: Docker.Container;
  readonly watch: Watch;
  /** Programs begin one after another: an engine that is asked to start many at once in a container takes several times as long for them all. */
  readonly beginnings: Turns;
}

/** The part of a container's id that people read. */
export function shortId({ id }: { readonly id: string }): string {
  return id.slice(0, 12);
}

/** What became of a container; `undefined` while it runs. @throws what the engine's client throws when it can't be asked */
export async function fateOf({ container, watch }: ContainerPlace): Promise<string | undefined> {
  const ranOut = `ran out of memory and was killed`;
  try {
    const { State } = await container.inspect();
    if (State.Running && !State.Paused) return undefined;
    if (State.Paused) return "is paused";
    if (State.OOMKilled || watch.memoryKills(container.id) > 0) return ranOut;
    return `has stopped (exit code ${State.ExitCode})`;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    return watch.memoryKills(container.id) > 0 ? `${ranOut}; it is gone` : "was removed";
  }
}

/** The error for something that went wrong between us and a container: what became of it, or what became of the connection. */
export async function containerFailure(place: ContainerPlace, error: unknown): Promise<ToolgateError> {
  const what = "The Docker engine can't be reached any more";
  let fate: string | undefined;
  try {
    fate = await fateOf(place);
  } catch {
    return engineFailure(error, what);
  }
  const id = shortId(place.container);
  if (fate !== undefined) return gone(place, fate, error);
  return engineFailure(error, statusOf(error) === undefined ? what : `Container ${id} can't run this`);
}

/** The error for a container that is there no more. */
export function gone({ container }: ContainerPlace, fate: string, cause?: unknown): ToolgateError {
  return new ToolgateError("backend_unavailable", `Container ${shortId(container)} ${fate}.`, {
    hint: fate.includes("memory")
      ? "Give it more memory, or do less at once."
      : "A new backend makes a new one.",
    cause,
  });
}
