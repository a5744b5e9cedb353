import { ToolgateError } from "../errors.ts";
import type { ToolMiddlewareFunction } from "../middleware.ts";

/**
 * Gives up a call that takes longer than `timeoutMs` in all: it fails with `timeout`, and what had come is kept. The tool is told to end
 * where its stream can be told; nobody waits for it.
 */
export function timeout(timeoutMs: number): ToolMiddlewareFunction {
  return async function* limited(tool, input, next) {
    const over = Promise.withResolvers<never>();
    // Nobody may be waiting at the moment the time is up.
    over.promise.catch(() => undefined);
    const clock = setTimeout(() => {
      over.reject(new ToolgateError("timeout", `${tool.name} took longer than ${timeoutMs} ms.`));
    }, timeoutMs);
    const stream = next(input)[Symbol.asyncIterator]();
    let hasEnded = false;
    try {
      for (;;) {
        const step = await Promise.race([stream.next(), over.promise]);
        hasEnded = step.done === true;
        if (step.done) return;
        yield step.value;
      }
    } finally {
      clearTimeout(clock);
      if (!hasEnded) stream.return?.().then(undefined, () => undefined);
    }
  };
}
