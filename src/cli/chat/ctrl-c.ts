/** Milliseconds in which a second Ctrl-C means the first one wasn't enough. */
const TWICE_MS = 2000;

/**
 * Ctrl-C for a conversation: once interrupts what runs, twice ends the program. SIGTERM and SIGHUP end it at once, with what runs
 * stopped.
 */
export class CtrlC implements Disposable {
  /** Aborts when the program is to end. */
  readonly quit: AbortController = new AbortController();
  #turn: AbortController | undefined;
  #last = Number.NEGATIVE_INFINITY;
  readonly #listeners: readonly (readonly [NodeJS.Signals, () => void])[];

  constructor() {
    const end = (): void => this.#end();
    this.#listeners = [
      ["SIGINT", () => this.press()],
      ["SIGTERM", end],
      ["SIGHUP", end],
    ];
    for (const [name, listener] of this.#listeners) process.on(name, listener);
  }

  /** The signal for a turn, which the next Ctrl-C aborts. */
  begin(): AbortSignal {
    this.#turn = new AbortController();
    this.#last = Number.NEGATIVE_INFINITY;
    return this.#turn.signal;
  }

  /** The turn is over. */
  end(): void {
    this.#turn = undefined;
  }

  /** Someone pressed it; also for a terminal that is read key by key. Answers whether the program ends. */
  press(): boolean {
    const now = performance.now();
    const isSecond = now - this.#last < TWICE_MS;
    this.#last = now;
    this.#turn?.abort(new Error("Interrupted by Ctrl-C."));
    if (isSecond) this.#end();
    return isSecond;
  }

  [Symbol.dispose](): void {
    for (const [name, listener] of this.#listeners) process.off(name, listener);
  }

  #end(): void {
    this.#turn?.abort(new Error("The program is stopped."));
    this.quit.abort();
  }
}
