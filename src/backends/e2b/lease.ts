/** Keeps a sandbox alive while it is used: E2B ends one when its time is over, whatever it is doing. */
export interface Lease {
  /** Something passes to or from the sandbox. */
  touch(): void;
  /** Something runs there that may be silent for long; until the answer is called. */
  hold(): () => void;
  end(): void;
}

/** Puts off the end to `timeoutMs` from now whenever a third of that has passed, for as long as there is use. */
export function lease(timeoutMs: number, extend: () => Promise<void>): Lease {
  const everyMs = timeoutMs / 3;
  let extendedAt = performance.now();
  let held = 0;
  let timer: NodeJS.Timeout | undefined;
  const touch = (): void => {
    if (performance.now() - extendedAt < everyMs) return;
    extendedAt = performance.now();
    // Who uses the sandbox next is told when it has gone.
    extend().catch(() => undefined);
  };
  return {
    touch,
    hold() {
      touch();
      held += 1;
      timer ??= setInterval(touch, everyMs / 2).unref();
      return () => {
        held -= 1;
        if (held > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    end() {
      clearInterval(timer);
    },
  };
}
