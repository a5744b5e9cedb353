import type { ChangeListener, Ledger } from "../ledger.ts";

/** News of jobs that changed, to whoever waits for them. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();
  readonly #ledger: Ledger;
  #stop: (() => void) | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  onChange(listener: ChangeListener): () => void {
    this.#stop ??= this.#ledger.onChange((ids, concernsRuns) => {
      for (const one of this.#listeners) one(ids, concernsRuns);
    });
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Yields at once, when the job may have changed, and every `everyMs` since news may get lost; ends when the signal aborts. */
  async *of(id: string, everyMs: number, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    let changed = true;
    let wake: (() => void) | undefined;
    const poke = (): void => {
      changed = true;
      wake?.();
    };
    const stop = this.onChange((ids) => {
      if (ids.includes(id)) poke();
    });
    signal.addEventListener("abort", poke, { once: true });
    try {
      while (!signal.aborted) {
        if (!changed) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, everyMs);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
        if (signal.aborted) return;
        changed = false;
        yield;
      }
    } finally {
      stop();
      signal.removeEventListener("abort", poke);
    }
  }

  dispose(): void {
    this.#stop?.();
    this.#listeners.clear();
  }
}
