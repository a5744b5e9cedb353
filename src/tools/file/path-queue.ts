import type { Backend } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";

/** Who is last in the queue for each path; keyed by backend, so that toolkits which share one share its queues. */
const queues = new WeakMap<Backend, Map<string, Promise<unknown>>>();

/**
 * Runs `work` when all earlier work on the same real path has ended, so that parallel edits of one file follow each other.
 * @throws ToolgateError `aborted` when the signal aborts before its turn
 */
export async function inTurn<T>(
  backend: Backend,
  path: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const queue = queues.get(backend) ?? new Map<string, Promise<unknown>>();
  queues.set(backend, queue);
  const key = backend.foldsCase ? path.normalize("NFC").toLowerCase() : path;
  const stopped = (): ToolgateError => new ToolgateError("aborted", `Stopped before ${path} was touched.`);
  let begun = false;
  // Work that was given up still keeps its place until those before it have ended.
  const run = (queue.get(key) ?? Promise.resolve()).then(() => {
    if (signal.aborted) throw stopped();
    begun = true;
    return work();
  });
  const settled = run.then(
    () => undefined,
    () => undefined,
  );
  queue.set(key, settled);
  void settled.then(() => {
    if (queue.get(key) === settled) queue.delete(key);
  });
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => {
    // Work that has begun minds the signal itself.
    if (!begun) reject(stopped());
  };
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([run, givenUp]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
