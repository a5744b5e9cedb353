import { ToolgateError } from "../errors.ts";

/** What {@link Stop.race} gives when the call is let go of. */
export const ABANDONED: unique symbol = Symbol("abandoned");

/** When a call is stopped. */
export interface StopOptions {
  /** Milliseconds from {@link Stop.startClock} on. */
  readonly timeoutMs: number;
  /** Milliseconds from being stopped to being let go of. */
  readonly graceMs: number;
  /** The caller's. */
  readonly signal?: AbortSignal;
}

/** Timers can't count further; what is longer has no end. */
const LONGEST_MS = 2 ** 31 - 1;

/** Stops one call: at its caller's wish or when its time is up, and for good when it doesn't care. */
export class Stop implements Disposable {
  readonly #options: StopOptions;
  #controller: AbortController | undefined;
  #reason: ToolgateError | undefined;
  #clock: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #isAbandoned = false;
  /** Ends of the waits that go on: a middleware's question is asked while the tool is waited for. */
  readonly #leaves: (() => void)[] = [];

  constructor(options: StopOptions) {
    this.#options = options;
    const { signal } = options;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Why it was stopped: `aborted` or `timeout`; `undefined` while it may go on. */
  get reason(): ToolgateError | undefined {
    return this.#reason;
  }

  /** Aborts when the call is stopped. Made when it is first asked for: many tools never look. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** From now on the call's time counts; it gets `leastMs` even where the limit is shorter. */
  startClock(leastMs = 0): void {
    const timeoutMs = Math.max(this.#options.timeoutMs, leastMs);
    if (this.#reason !== undefined || !(timeoutMs <= LONGEST_MS)) return;
    this.#clock = setTimeout(() => {
      this.#stop(
        new ToolgateError("timeout", `Stopped: it ran for ${timeoutMs} ms, which is the limit.`, {
          hint: "Ask for less at once, or for a longer timeout.",
        }),
      );
    }, timeoutMs);
  }

  /** Waits for something, but not longer than the call may take. */
  race<T>(work: Promise<T>): Promise<T | typeof ABANDONED> {
    return new Promise((resolve, reject) => {
      const leave = (): void => resolve(ABANDONED);
      if (this.#isAbandoned) {
        work.catch(() => undefined);
        return leave();
      }
      this.#leaves.push(leave);
      const settled = (): void => {
        const at = this.#leaves.lastIndexOf(leave);
        if (at >= 0) this.#leaves.splice(at, 1);
      };
      work.then(
        (value) => {
          settled();
          resolve(value);
        },
        (error: unknown) => {
          settled();
          reject(error);
        },
      );
    });
  }

  [Symbol.dispose](): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    clearTimeout(this.#clock);
    clearTimeout(this.#grace);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#options.signal?.reason;
    // Who aborts without a reason has nothing to say; who gives one, may.
    const why = reason instanceof Error && reason.name !== "AbortError" ? `: ${reason.message}` : ".";
    this.#stop(new ToolgateError("aborted", `The call was cancelled${why}`));
  };

  #stop(reason: ToolgateError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    clearTimeout(this.#clock);
    this.#controller?.abort(reason);
    this.#grace = setTimeout(() => {
      this.#isAbandoned = true;
      for (const leave of this.#leaves.splice(0)) leave();
    }, this.#options.graceMs);
  }
}
