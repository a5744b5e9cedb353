/**
 * For callers that start the calls of a turn all at once: calls that may share run side by side, the others alone, in the order
 * they came.
 */
export class Lane {
  readonly #waiting: { readonly isShared: boolean; readonly start: () => void }[] = [];
  #running = 0;
  #isAlone = false;

  /** Settles with what ends the stay, to be called once. */
  enter(isShared: boolean): Promise<() => void> {
    const entered = Promise.withResolvers<() => void>();
    this.#waiting.push({ isShared, start: () => entered.resolve(() => this.#leave()) });
    this.#next();
    return entered.promise;
  }

  #leave(): void {
    this.#running -= 1;
    this.#isAlone = false;
    this.#next();
  }

  #next(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || this.#isAlone || (!first.isShared && this.#running > 0)) return;
      this.#waiting.shift();
      this.#running += 1;
      this.#isAlone = !first.isShared;
      first.start();
    }
  }
}
