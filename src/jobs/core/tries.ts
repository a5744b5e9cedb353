import { setTimeout as sleep } from "node:timers/promises";
import { ToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import type { StepOptions } from "../handler.ts";

const LONGEST_WAIT_MS = 60_000;

/** Does work, again after growing waits when it may be done twice, within its time. */
export async function attempt<T>(
  work: (signal: AbortSignal) => MaybePromise<T>,
  options: StepOptions,
  signal: AbortSignal,
  retried: (message: string) => void,
): Promise<T> {
  const { safe = false, retries = 0, backoffMs = 1000 } = options;
  for (let tries = 0; ; tries += 1) {
    try {
      return await once(work, options.timeoutMs, signal);
    } catch (error) {
      if (!safe || tries >= retries || signal.aborted) throw error;
      retried(error instanceof Error ? error.message : String(error));
      await sleep(Math.min(backoffMs * 2 ** tries, LONGEST_WAIT_MS), undefined, { signal });
    }
  }
}

/** Once: rejects when it is stopped or its time is over, also when the work itself doesn't mind. */
async function once<T>(
  work: (signal: AbortSignal) => MaybePromise<T>,
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(
          () => over.abort(new ToolgateError("timeout", `It took over ${timeoutMs} ms.`)),
          timeoutMs,
        );
  const either = AbortSignal.any([signal, over.signal]);
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(either.reason);
    either.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([(async () => work(either))(), aborted]);
  } finally {
    clearTimeout(timer);
    if (leave !== undefined) either.removeEventListener("abort", leave);
  }
}
