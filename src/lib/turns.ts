import type { MaybePromise } from "./json.ts";

/** Lets pieces of work through one at a time, in the order they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` when everything that came before has ended, however it ended. Rejects with the signal's reason, and runs nothing,
   * when the signal aborts while it waits.
   */
  take<T>(work: () => MaybePromise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#last;
    const turn = new Promise<T>((resolve, reject) => {
      const leave = (): void => reject(signal.reason);
      if (signal.aborted) return leave();
      signal.addEventListener("abort", leave, { once: true });
      void before.then(async () => {
        signal.removeEventListener("abort", leave);
        if (signal.aborted) return;
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      });
    });
    // Whoever left early keeps their place in line: those behind still wait for those before.
    this.#last = Promise.all([before, turn.catch(() => undefined)]);
    return turn;
  }
}
