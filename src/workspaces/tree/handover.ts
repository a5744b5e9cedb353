/** Hands pieces from one who has them to one who asks for them, one at a time: who gives waits until it has been used up. */
export class Handover implements AsyncIterable<Uint8Array> {
  #given: { readonly piece: Uint8Array; readonly used: () => void } | undefined;
  #wanted: (() => void) | undefined;
  #end: { readonly error: unknown } | undefined;

  /** Settles when the piece is used up, or nobody takes any more. */
  give(piece: Uint8Array): Promise<void> {
    if (this.#end !== undefined) return Promise.resolve();
    return new Promise((used) => {
      this.#given = { piece, used };
      this.#wanted?.();
    });
  }

  /** Nothing more comes; with an error, whoever takes gets that. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wanted?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const given = this.#given;
        if (given !== undefined) {
          yield given.piece;
          this.#given = undefined;
          given.used();
        } else if (this.#end !== undefined) {
          if (this.#end.error !== undefined) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((wanted) => {
            this.#wanted = wanted;
          });
          this.#wanted = undefined;
        }
      }
    } finally {
      this.#end ??= { error: undefined };
      this.#given?.used();
    }
  }
}
