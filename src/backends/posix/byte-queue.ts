/** Bytes that are put in at one end as they come to be, and taken out at the other as a stream. */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #pieces: Uint8Array[] = [];
  #closed = false;
  #wake: () => void = () => undefined;

  push(piece: string | Uint8Array): void {
    this.#pieces.push(typeof piece === "string" ? Buffer.from(piece) : piece);
    this.#wake();
  }

  /** Ends the stream after what is in it. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#closed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
