import type Docker from "dockerode";
import { ToolgateError } from "../../errors.ts";
import type { Turns } from "../../lib/turns.ts";
import { engineFailure, statusOf } from "./failure.ts";
import type { Removal } from "./removal.ts";
import type { Watch } from "./watch.ts";

/** A running container, and who listens to what happens to it. */
export interface ContainerPlace {
  readonly container: Docker.Container;
  readonly watch: Watch;
  /** Programs begin one after another: an engine that is asked to start many at once in a container takes several times as long for them all. */
  readonly beginnings: Turns;
  readonly removal: Removal;
}

const REMOVED = "was removed";
/** In both of the fates that a container has left for good with. */
const FOR_GOOD = /was removed|is gone/;

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
    return watch.memoryKills(container.id) > 0 ? `${ranOut}; it is gone` : REMOVED;
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
export function gone({ container, removal }: ContainerPlace, fate: string, cause?: unknown): ToolgateError {
  const id = shortId(container);
  const reason = (): ToolgateError =>
    new ToolgateError("backend_unavailable", `Container ${id} ${fate}.`, { hint: hintFor(fate, id), cause });
  if (FOR_GOOD.test(fate)) removal.notice(reason);
  return reason();
}

/** A session that is served lives on without its container; whoever asks can't make another backend for it. */
function hintFor(fate: string, id: string): string {
  if (fate.includes("memory")) return "Give it more memory, or do less at once.";
  if (fate === "is paused") return `Let it go on: docker unpause ${id}`;
  const next = "Start toolgate again, or in a program open the backend anew";
  if (fate !== REMOVED) return `${next}: it starts the container, or makes another one.`;
  return `${next}: it makes another one. What was neither in a mounted directory nor in a volume of your own is lost.`;
}
