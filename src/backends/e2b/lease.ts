/** Keeps a sandbox alive while it is used: E2B ends one when its time is over, whatever it is doing. */
export interface Lease {
  /** Something passes to or from the sandbox. */
  touch(): void;
  /** Something runs there that may be silent for long, until the answer is called; while `rests` says so it is no use. */
  hold(rests?: () => boolean): () => void;
  end(): void;
}

/** Puts off the end to `timeoutMs` from now whenever a third of that has passed, for as long as there is use. */
export function lease(timeoutMs: number, extend: () => Promise<void>): Lease {
  const everyMs = timeoutMs / 3;
  let extendedAt = performance.now();
  const held = new Set<{ readonly rests: () => boolean }>();
  let timer: NodeJS.Timeout | undefined;
  const touch = (): void => {
    if (performance.now() - extendedAt < everyMs) return;
    extendedAt = performance.now();
    // Who uses the sandbox next is told when it has gone.
    extend().catch(() => undefined);
  };
  const look = (): void => {
    if ([...held].some(({ rests }) => !rests())) touch();
  };
  return {
    touch,
    hold(rests = () => false) {
      const holder = { rests };
      held.add(holder);
      look();
      timer ??= setInterval(look, everyMs / 2).unref();
      return () => {
        held.delete(holder);
        if (held.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    end() {
      clearInterval(timer);
    },
  };
}
