import type { StopCause } from "./answer.ts";

/** One signal for the caller's abort, the timeout, and an answer that nobody reads any more. */
export class Stopper {
  readonly timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#stop("abort");
  #isDone = false;
  #cause: StopCause;

  constructor(caller: AbortSignal, timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.#caller = caller;
    this.#timer = setTimeout(() => this.#stop("timeout"), timeoutMs);
    if (caller.aborted) this.#onAbort();
    else caller.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Which of them came first. */
  get cause(): StopCause {
    return this.#cause;
  }

  /** The command has ended by itself. */
  done(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#onAbort);
    this.#isDone = true;
  }

  /** Stops the command, unless it is done. */
  end(): void {
    if (this.#isDone) return;
    this.done();
    this.#controller.abort();
  }

  #stop(cause: StopCause): void {
    this.#cause ??= cause;
    this.#controller.abort();
  }
}

/** Waits a while, but not longer than until something else has happened, and answers what that gave. */
export async function pause<T>(ms: number, until: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  const value = await Promise.race([promise, until]);
  clearTimeout(timer);
  return value;
}
