import type { Backend } from "../../backend.ts";
import type { MaybePromise } from "../../lib/json.ts";

/** Bytes gathered before they are written: few enough to stay in the processor's cache, and pieces enough to write while more comes. */
const PIECE = 256 * 1024;
const PIECES = 8;
const HEAD = 64 * 1024;

const NOTHING: Uint8Array = new Uint8Array(0);

/** Where a log is kept. */
export interface OutputLogOptions {
  readonly backend: Backend;
  /** The file that takes what doesn't fit in memory. */
  readonly path: string;
  /** Bytes of it at most; what comes later is counted and dropped. @default 5 GiB */
  readonly maxBytes?: number;
}

/**
 * All that a command put out, in memory of a fixed size: a quarter of a megabyte stays in memory, and more goes to a file as a
 * whole. Any range can be read back, while it grows and afterwards.
 */
export class OutputLog {
  readonly path: string;
  readonly #backend: Backend;
  readonly #maxBytes: number;
  /** What came last and isn't given to the file yet. */
  #piece: Uint8Array = NOTHING;
  #used = 0;
  /** What came just before, when the file may not hold it: it could not be written, or is about to be. */
  #before: Uint8Array = NOTHING;
  #head: Uint8Array | undefined;
  #total = 0;
  readonly #queue: Uint8Array[] = [];
  readonly #free: Uint8Array[] = [];
  #made = 0;
  #queued = 0;
  #written = 0;
  #writer: Promise<void> | undefined;
  #closed = false;
  #failure: unknown;
  #wakeWriter: (() => void) | undefined;
  #progress = Promise.withResolvers<void>();

  constructor({ backend, path, maxBytes = 5 * 1024 ** 3 }: OutputLogOptions) {
    this.#backend = backend;
    this.path = path;
    this.#maxBytes = maxBytes;
  }

  /** Bytes that came so far. */
  get total(): number {
    return this.#total;
  }

  /** Bytes that the file holds. */
  get saved(): number {
    return this.#written;
  }

  /** Why the file doesn't hold everything, if it doesn't. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Takes the next bytes, which are copied. A promise asks the caller to wait with the next. */
  push(bytes: Uint8Array): MaybePromise<void> {
    this.#total += bytes.length;
    return this.#take(bytes);
  }

  #take(bytes: Uint8Array): MaybePromise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#used === PIECE && !this.#rotate()) return this.#takeLater(rest);
      const part = rest.length <= PIECE - this.#used ? rest : rest.subarray(0, PIECE - this.#used);
      this.#add(part);
      rest = rest.subarray(part.length);
    }
  }

  async #takeLater(bytes: Uint8Array): Promise<void> {
    await this.#progress.promise;
    await this.#take(bytes);
  }

  #add(bytes: Uint8Array): void {
    const needed = this.#used + bytes.length;
    if (needed > this.#piece.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(PIECE, Math.max(needed, this.#piece.length * 4, 4096)));
      grown.set(this.#piece.subarray(0, this.#used));
      this.#piece = grown;
    }
    this.#piece.set(bytes, this.#used);
    this.#used = needed;
  }

  /** Gives the full piece to the file and goes on in a free one; `false` when all are still being written. */
  #rotate(): boolean {
    this.#head ??= Buffer.from(this.#piece.subarray(0, HEAD));
    if (this.#failure === undefined && this.#queued + PIECE > this.#maxBytes) {
      this.#failure = new Error(`it is longer than ${this.#maxBytes} bytes`);
    }
    if (this.#failure !== undefined) {
      const spare = this.#before;
      this.#before = this.#piece;
      this.#piece = spare.length === PIECE ? spare : Buffer.allocUnsafeSlow(PIECE);
    } else {
      const free = this.#freePiece();
      if (free === undefined) return false;
      this.#enqueue(this.#piece);
      this.#before = NOTHING;
      this.#piece = free;
    }
    this.#used = 0;
    return true;
  }

  #freePiece(): Uint8Array | undefined {
    const free = this.#free.pop();
    if (free !== undefined || this.#made >= PIECES) return free;
    this.#made++;
    return Buffer.allocUnsafeSlow(PIECE);
  }

  #enqueue(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    this.#writer ??= this.#write();
    this.#wakeWriter?.();
  }

  async #write(): Promise<void> {
    try {
      await this.#backend.writeFile(this.path, this.#pieces(), { append: true, parents: true, mode: 0o600 });
    } catch (error) {
      this.#failure ??= error;
      this.#queue.length = 0;
    }
    this.#writer = undefined;
    this.#advance();
  }

  /** What the file is written from; a piece has been taken over when the next is asked for. */
  async *#pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = this.#queue.shift();
      if (piece !== undefined) {
        yield piece;
        this.#written += piece.length;
        if (piece.length === PIECE) this.#free.push(piece);
        this.#advance();
      } else if (this.#closed || this.#failure !== undefined) return;
      else {
        await new Promise<void>((wake) => {
          this.#wakeWriter = wake;
        });
      }
    }
  }

  #advance(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers<void>();
  }

  /** No more comes: the file is closed when it holds everything that it was given. */
  async close(): Promise<void> {
    if (this.#writer !== undefined) await this.flush();
    this.#closed = true;
    this.#wakeWriter?.();
    await this.#writer;
  }

  /** Puts what is still in memory into the file, so that it holds everything. */
  async flush(): Promise<void> {
    if (this.#used > 0 && this.#failure === undefined) {
      const rest = Buffer.from(this.#piece.subarray(0, this.#used));
      this.#head ??= rest.subarray(0, HEAD);
      this.#before = rest;
      this.#used = 0;
      this.#enqueue(rest);
    }
    const goal = this.#queued;
    while (this.#written < goal && this.#writer !== undefined) await this.#progress.promise;
    if (this.#closed) await this.#writer;
  }

  /** The bytes from `start` to before `end`; fewer where neither memory nor file has them. */
  async slice(start: number, end: number): Promise<Uint8Array> {
    if (this.#queued > 0) await this.flush();
    const memory = Buffer.concat([this.#before, this.#piece.subarray(0, this.#used)]);
    const base = this.#total - memory.length;
    const late = memory.subarray(Math.max(0, start - base), Math.max(0, end - base));
    const fileEnd = Math.min(end, base, this.#written);
    if (fileEnd <= start)
      return start < base && this.#head !== undefined ? this.#head.slice(start, end) : late;
    const early = await this.#backend.readFile(this.path, { offset: start, length: fileEnd - start });
    return Buffer.concat([early, late]);
  }
}
