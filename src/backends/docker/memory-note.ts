import { setTimeout } from "node:timers/promises";
import type { Backend } from "../../backend.ts";
import type { ContainerPlace } from "./place.ts";

/** What is left of a process that was killed, as a shell says it. */
const KILLED = 137;
/** The engine says it a moment after the fact. */
const NEWS_MS = 100;

/** A backend over a container that says so, on standard error, when a command failed because memory ran out: nothing else would. */
export function withMemoryNote(
  backend: Backend,
  { container, watch }: ContainerPlace,
  memoryBytes: number,
): Backend {
  return {
    ...backend,
    async exec(argv, options) {
      const before = watch.memoryKills(container.id);
      const result = await backend.exec(argv, options);
      if (result.stopped || result.exitCode === 0) return result;
      if (result.exitCode === KILLED) await setTimeout(NEWS_MS);
      if (watch.memoryKills(container.id) > before) {
        const limit = `${Math.round(memoryBytes / 1024 / 1024)} MiB`;
        const note = `toolgate: the container's memory limit of ${limit} was reached, and the kernel killed a process in it.\n`;
        await options.onOutput?.(Buffer.from(note), "stderr");
      }
      return result;
    },
  };
}
