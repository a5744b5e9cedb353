/** A program's standard input while it runs: bytes go in as they are there, until it is ended. */
export class LiveInput implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  /** Adds bytes; after the end they go nowhere. */
  write(bytes: Uint8Array): void {
    if (this.#isEnded) return;
    this.#waiting.push(bytes);
    this.#wake?.();
  }

  /** What was written is still read; then it is closed. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const bytes = this.#waiting.shift();
      if (bytes !== undefined) yield bytes;
      else if (this.#isEnded) return;
      else {
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
      }
    }
  }
}
