/** Passes pieces from one who gives to one who takes; giving waits until the piece has been used. */
export class Handover {
  #piece: Uint8Array | undefined;
  #ended = false;
  #error: unknown;
  #change: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  #used: PromiseWithResolvers<void> | undefined;

  async give(piece: Uint8Array): Promise<void> {
    if (this.#ended) return;
    this.#piece = piece;
    this.#used = Promise.withResolvers<void>();
    this.#change.resolve();
    await this.#used.promise;
  }

  /** The next piece; the one before has been used. */
  async take(): Promise<Uint8Array | undefined> {
    this.#used?.resolve();
    this.#used = undefined;
    for (;;) {
      if (this.#piece !== undefined) {
        const piece = this.#piece;
        this.#piece = undefined;
        return piece;
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return undefined;
      await this.#change.promise;
      this.#change = Promise.withResolvers<void>();
    }
  }

  end(error: unknown): void {
    this.#error ??= error;
    this.#ended = true;
    this.#change.resolve();
  }

  close(): void {
    this.#ended = true;
    this.#used?.resolve();
  }
}
