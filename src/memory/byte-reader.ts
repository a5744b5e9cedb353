/** Takes a stream of bytes in portions of one's own. What it gives is the taker's. */
export class ByteReader implements AsyncDisposable {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #held = Buffer.alloc(0);
  #isOver = false;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** Nothing comes after what is held. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What has come and was not taken, at least so many bytes of it unless the stream ends before. Nothing is taken by it. */
  async peek(least: number): Promise<Buffer> {
    if (this.#held.length >= least || this.#isOver) return this.#held;
    const parts = [this.#held];
    let size = this.#held.length;
    while (size < least && !this.#isOver) {
      const next = await this.#pieces.next();
      if (next.done === true) this.#isOver = true;
      // A piece is only valid until the next is asked for.
      else size += parts[parts.push(Buffer.from(next.value)) - 1]?.length ?? 0;
    }
    this.#held = Buffer.concat(parts);
    return this.#held;
  }

  /** So many bytes, or all that are left. */
  async take(count: number): Promise<Buffer> {
    const taken = (await this.peek(count)).subarray(0, count);
    this.#held = this.#held.subarray(taken.length);
    return taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pieces.return?.();
  }
}
