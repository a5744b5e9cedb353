import { randomHex } from "../../lib/random-hex.ts";
import { unlessOver } from "../../lib/unless-over.ts";

/**
 * Bytes on their way, counted, with a mark at their end that says that they are whole. Without it, because their source
 * failed or they are no longer wanted, the place throws them away.
 */
export class Upload implements AsyncIterable<Uint8Array> {
  /** 24 characters. */
  readonly mark: string = randomHex(12);
  /** Bytes, without the mark. */
  sent = 0;
  /** What went wrong with the source. */
  failed: { readonly reason: unknown } | undefined;
  readonly #first: Uint8Array;
  readonly #rest: AsyncIterator<Uint8Array> | undefined;
  readonly #stopped: PromiseWithResolvers<undefined> = Promise.withResolvers<undefined>();

  constructor(first: Uint8Array, rest: AsyncIterator<Uint8Array> | undefined) {
    this.#first = first;
    this.#rest = rest;
  }

  /** Sends no more, and no mark. */
  stop(): void {
    this.#stopped.resolve(undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const orStop = unlessOver(this.#stopped.promise);
    try {
      this.sent += this.#first.length;
      yield this.#first;
      for (;;) {
        const next = await orStop(this.#next());
        if (next === undefined) return;
        if (next.done === true) break;
        this.sent += next.value.length;
        // A copy: whoever gives the pieces may use one buffer for all.
        yield Buffer.from(next.value);
      }
      yield Buffer.from(this.mark);
    } catch (reason) {
      this.failed = { reason };
    } finally {
      // Not waited for: a source that is stuck is let go of.
      this.#rest?.return?.().catch(() => undefined);
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    return (await this.#rest?.next()) ?? { done: true, value: undefined };
  }
}
