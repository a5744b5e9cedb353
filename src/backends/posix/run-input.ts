import { inTime } from "../../lib/in-time.ts";
import { unlessOver } from "../../lib/unless-over.ts";

/** How long a shell may take to say that it has done with a run before it is told. */
const SAYS_SO_MS = 50;

/**
 * What a run reads: the settings, then the program's own input for as long as somebody may read it. The end of the program
 * is the end of it, however much there still is. Without input it stays open until the end, and then says so: when
 * it breaks off, the place knows that nobody is there any more.
 */
export class RunInput implements AsyncIterable<Uint8Array> {
  /** Rejects when the program's input can't be had; never resolves. */
  readonly failed: Promise<never>;
  readonly #settings: string;
  readonly #input: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly #free: Promise<void>;
  readonly #failure = Promise.withResolvers<never>();
  readonly #ended = Promise.withResolvers<undefined>();

  constructor(
    settings: string,
    input: Uint8Array | AsyncIterable<Uint8Array> | undefined,
    /** Resolves when the shell has said that nobody holds the run's outputs. */
    free: Promise<void>,
  ) {
    this.#settings = settings;
    this.#input = input;
    this.#free = free;
    this.failed = this.#failure.promise;
  }

  /** Nothing more is read. */
  end(): void {
    this.#ended.resolve(undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield Buffer.from(this.#settings);
    if (this.#input === undefined) {
      await this.#ended.promise;
      // A shell that has said so itself knows it already.
      if (!(await inTime(this.#free, SAYS_SO_MS))) yield Buffer.from("done\n");
      return;
    }
    if (this.#input instanceof Uint8Array) return yield this.#input;
    const pieces = this.#input[Symbol.asyncIterator]();
    const orEnd = unlessOver(this.#ended.promise);
    try {
      for (;;) {
        const next = await orEnd(pieces.next());
        if (next === undefined || next.done === true) return;
        yield Buffer.from(next.value);
      }
    } catch (error) {
      this.#failure.reject(error);
    } finally {
      // Not waited for: a source that is stuck is let go of.
      pieces.return?.().catch(() => undefined);
    }
  }
}
