/** Turns pushed events into a stream for one reader. Whoever stops reading early is noticed. */
export class EventStream<T extends object> implements AsyncIterableIterator<T> {
  readonly #onLeave: () => void;
  /** What came, and what is read next, last first: taking the first off a long list each time would cost its length. */
  #waiting: T[] = [];
  #next: T[] = [];
  #reader: PromiseWithResolvers<IteratorResult<T, undefined>> | undefined;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;

  /** `onLeave` is called when the reader stops before the end. */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  push(event: T): void {
    if (this.#isEnded) return;
    if (this.#reader === undefined) this.#waiting.push(event);
    else this.#settle({ done: false, value: event });
  }

  end(): void {
    this.#isEnded = true;
    this.#settle({ done: true, value: undefined });
  }

  /** Ends with an error, for the reader to get after what came before it. */
  fail(error: unknown): void {
    this.#isEnded = true;
    if (this.#reader === undefined) this.#failure = { error };
    else this.#reader.reject(error);
    this.#reader = undefined;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const first = this.#take();
    if (first !== undefined) return Promise.resolve({ done: false, value: first });
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#isEnded) return Promise.resolve({ done: true, value: undefined });
    this.#reader ??= Promise.withResolvers();
    return this.#reader.promise;
  }

  return(): Promise<IteratorResult<T, undefined>> {
    if (!this.#isEnded) this.#onLeave();
    this.#waiting = [];
    this.#next = [];
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): T | undefined {
    if (this.#next.length === 0) {
      this.#next = this.#waiting.reverse();
      this.#waiting = [];
    }
    return this.#next.pop();
  }

  #settle(result: IteratorResult<T, undefined>): void {
    this.#reader?.resolve(result);
    this.#reader = undefined;
  }
}
