import { ToolgateError } from "../../errors.ts";

/** Waits for work that can't be stopped, no longer than the signal lets it. @throws what the work throws, ToolgateError `aborted` */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(new ToolgateError("aborted", "It was cancelled."));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
