import { setTimeout as wait } from "node:timers/promises";
import type { ToolChunk } from "../chunk.ts";
import { isToolgateError } from "../errors.ts";
import type { ToolMiddlewareFunction } from "../middleware.ts";

/** How often and when a failed call is tried again. */
export interface RetryOptions {
  /** The first included. @default 3 */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; doubled each time. @default 100 */
  readonly delayMs?: number;
  /** Whether another attempt may help; `failure` is what was thrown, or the chunk that said `error`. @default not for refusals, bad input, cancelled calls and timeouts */
  readonly mayHelp?: (failure: unknown) => boolean;
}

const HOPELESS: ReadonlySet<string> = new Set([
  "aborted",
  "approval_required",
  "confine_unavailable",
  "denied",
  "invalid_input",
  "timeout",
  "unsupported",
]);

/**
 * Tries a call again when it fails. An attempt's chunks are passed on once it has ended, so that nothing of a failed one is ever
 * shown twice; put it round tools whose answers are short.
 */
export function retry({
  attempts = 3,
  delayMs = 100,
  mayHelp = isWorthIt,
}: RetryOptions = {}): ToolMiddlewareFunction {
  return async function* retrying(_tool, input, next) {
    for (let attempt = 1; ; attempt += 1) {
      const { chunks, failure } = await attemptOf(next(input));
      if (failure === undefined || attempt >= attempts || !mayHelp(failure.cause)) {
        yield* chunks;
        if (failure?.isThrown) throw failure.cause;
        return;
      }
      await wait(delayMs * 2 ** (attempt - 1));
    }
  };
}

interface Attempt {
  readonly chunks: readonly ToolChunk[];
  readonly failure?: { readonly cause: unknown; readonly isThrown: boolean };
}

async function attemptOf(stream: AsyncIterable<ToolChunk>): Promise<Attempt> {
  const chunks: ToolChunk[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (cause) {
    return { chunks, failure: { cause, isThrown: true } };
  }
  const failed = chunks.find(({ state }) => state === "error");
  return failed === undefined ? { chunks } : { chunks, failure: { cause: failed, isThrown: false } };
}

function isWorthIt(failure: unknown): boolean {
  return !isToolgateError(failure) || !HOPELESS.has(failure.code);
}
