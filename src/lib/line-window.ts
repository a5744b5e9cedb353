import { type ByteCounter, byteCounter, countByte } from "./count-byte.ts";
import { view } from "./encoding.ts";

/** Which lines are wanted, and how much of them is kept. */
export interface LineWindowOptions {
  /** The first line wanted, from 1. */
  readonly offset: number;
  /** Lines at most. */
  readonly limit: number;
  /** Bytes kept of one line; the rest is counted. */
  readonly maxLineBytes: number;
  /** Bytes kept in all: the line that goes beyond is the last. */
  readonly maxBytes: number;
  /** The byte that ends a line. @default 10 */
  readonly newline?: number;
}

/** One line as it stands in the file, without its ending. */
export interface RawLine {
  readonly bytes: Uint8Array;
  /** How many bytes were left out at its end. */
  readonly clipped: number;
  readonly ending: "\n" | "\r\n" | "\r" | "";
}

/** The lines asked for, and what is known of the rest. */
export interface LineWindow {
  readonly lines: readonly RawLine[];
  /** True when the file goes on after the last line here. */
  readonly more: boolean;
  /** Lines of the whole file; known only when it was read to its end. */
  readonly total?: number;
}

const NEWLINE = 10;
const RETURN = 13;
/** From this line on, a fast counter of its own pays. */
const COUNTED_FROM = 10_000;

/**
 * Takes the wanted lines out of a stream of bytes and stops reading as soon as they are there. Before them it only counts,
 * so that line 5 000 000 costs neither memory nor decoding.
 */
export async function readLineWindow(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: LineWindowOptions,
): Promise<LineWindow> {
  const newline = options.newline ?? NEWLINE;
  const collector = new LineCollector(options, newline);
  const skipper = new LineSkipper(options.offset - 1, newline);
  for await (const chunk of chunks) {
    const from = skipper.skip(chunk);
    if (from !== undefined && collector.take(chunk, from)) return { lines: collector.lines, more: true };
  }
  if (!skipper.done) return { lines: [], more: false, total: skipper.seen };
  const lines = collector.finish();
  if (lines.length === 0) return { lines, more: false, total: skipper.seen };
  return { lines, more: false, total: options.offset - 1 + lines.length };
}

/** Goes over the lines before the first that is wanted. */
class LineSkipper {
  readonly #newline: number;
  readonly #count: ByteCounter;
  #left: number;
  #seen = 0;
  #last: number;

  constructor(lines: number, newline: number) {
    this.#newline = newline;
    this.#left = lines;
    this.#last = newline;
    // Small files come in one piece and aren't worth a counter of their own.
    this.#count = lines >= COUNTED_FROM ? byteCounter() : countByte;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  /** Lines gone over, a last one without an ending included. */
  get seen(): number {
    return this.#seen + (this.#last === this.#newline ? 0 : 1);
  }

  /** Where in the piece the wanted lines begin; `undefined` when not in this one. */
  skip(chunk: Uint8Array): number | undefined {
    if (this.#left === 0) return 0;
    const here = this.#count(chunk, this.#newline);
    this.#last = chunk.at(-1) ?? this.#last;
    if (here < this.#left) {
      this.#left -= here;
      this.#seen += here;
      return undefined;
    }
    const from = afterNth(chunk, this.#newline, this.#left);
    this.#seen += this.#left;
    this.#left = 0;
    this.#last = this.#newline;
    return from;
  }
}

/** The offset after the `nth` occurrence of a byte. */
function afterNth(chunk: Uint8Array, byte: number, nth: number): number {
  const bytes = view(chunk);
  let at = 0;
  for (let count = 0; count < nth; count += 1) at = bytes.indexOf(byte, at) + 1;
  return at;
}

/** Cuts bytes into lines, keeping no more of each than is wanted. */
class LineCollector {
  readonly lines: RawLine[] = [];
  readonly #options: LineWindowOptions;
  readonly #newline: number;
  #pieces: Buffer[] = [];
  #kept = 0;
  #length = 0;
  #last = 0;
  #bytes = 0;

  constructor(options: LineWindowOptions, newline: number) {
    this.#options = options;
    this.#newline = newline;
  }

  /** True when there are bytes beyond the last line wanted. */
  take(chunk: Uint8Array, from: number): boolean {
    const bytes = view(chunk);
    let at = from;
    while (at < bytes.length) {
      if (this.#full()) return true;
      const end = bytes.indexOf(this.#newline, at);
      this.#add(bytes.subarray(at, end < 0 ? bytes.length : end));
      if (end < 0) return false;
      this.#close(true);
      at = end + 1;
    }
    return false;
  }

  finish(): readonly RawLine[] {
    if (this.#length > 0) this.#close(false);
    return this.lines;
  }

  #full(): boolean {
    return this.lines.length >= this.#options.limit || this.#bytes >= this.#options.maxBytes;
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    const room = this.#options.maxLineBytes - this.#kept;
    if (room > 0) {
      const copy = Buffer.from(piece.subarray(0, room));
      this.#pieces.push(copy);
      this.#kept += copy.length;
    }
    this.#length += piece.length;
    this.#last = piece[piece.length - 1] ?? 0;
  }

  #close(ended: boolean): void {
    const crlf = ended && this.#newline === NEWLINE && this.#length > 0 && this.#last === RETURN;
    const length = crlf ? this.#length - 1 : this.#length;
    const joined = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    const bytes = (joined ?? Buffer.alloc(0)).subarray(0, length);
    const plain = this.#newline === RETURN ? "\r" : "\n";
    this.lines.push({ bytes, clipped: length - bytes.length, ending: crlf ? "\r\n" : ended ? plain : "" });
    this.#bytes += bytes.length;
    this.#pieces = [];
    this.#kept = 0;
    this.#length = 0;
  }
}
