import type { Ledger, NewEvent } from "../ledger.ts";

const DELAY_MS = 100;
const MAX_EVENTS = 500;

/** Writes events down some at a time, in order: who tells one doesn't wait. */
export class EventBuffer {
  readonly #ledger: Ledger;
  #events: NewEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  add(event: NewEvent): void {
    this.#events.push(event);
    if (this.#events.length >= MAX_EVENTS) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS);
  }

  /** Settles when all that was told by now is written, or couldn't be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events;
    if (events.length === 0) return this.#last;
    this.#events = [];
    // Events are for looking on: a job doesn't fail since one could not be written.
    this.#last = this.#last.then(() => this.#ledger.report(events).catch(() => undefined));
    return this.#last;
  }
}
