/** How much of a long output's start and end is kept, in characters or bytes. */
export interface WindowSize {
  readonly head: number;
  readonly tail: number;
}

/** What a window has kept of a text. */
export interface TextView {
  readonly head: string;
  readonly tail: string;
  /** Characters between them that were left out. */
  readonly omitted: number;
}

/** What a window has kept of bytes. */
export interface ByteView {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Bytes between them that were left out. */
  readonly omitted: number;
}

/**
 * Keeps the start and the end of a text that comes in pieces, in memory bounded by its size. A text that fits is kept whole; of a longer
 * one both parts end at line breaks where there are any near.
 */
export class TextWindow {
  readonly #size: WindowSize;
  #head = "";
  #isHeadFull = false;
  #pieces: string[] = [];
  #kept = 0;
  #total = 0;

  constructor(size: WindowSize) {
    this.#size = size;
  }

  /** Characters that came in all. */
  get total(): number {
    return this.#total;
  }

  /** Takes a piece, and answers what of it belongs to the head: that much can be shown at once. */
  push(text: string): string {
    this.#total += text.length;
    if (this.#isHeadFull) {
      this.#keep(text);
      return "";
    }
    const room = this.#size.head - this.#head.length;
    if (text.length <= room) {
      this.#head += text;
      return text;
    }
    this.#isHeadFull = true;
    const cut = headCut(text, room, this.#size.head);
    this.#head += text.slice(0, cut);
    this.#keep(text.slice(cut));
    return text.slice(0, cut);
  }

  view(): TextView {
    const rest = this.#pieces.join("");
    const missing = this.#total - this.#head.length - rest.length;
    // A head that ended early at a line break makes room in the tail.
    const room = this.#size.tail + this.#size.head - this.#head.length;
    if (missing === 0 && rest.length <= room) return { head: this.#head, tail: rest, omitted: 0 };
    const tail = rest.slice(tailCut(rest, this.#size.tail));
    return { head: this.#head, tail, omitted: this.#total - this.#head.length - tail.length };
  }

  #keep(text: string): void {
    this.#pieces.push(text);
    this.#kept += text.length;
    const needed = this.#size.tail + this.#size.head;
    if (this.#kept < 2 * needed + 4096) return;
    const joined = this.#pieces.join("");
    const kept = joined.slice(joined.length - needed);
    this.#pieces = [kept];
    this.#kept = kept.length;
  }
}

/** Where the head ends in the piece that fills it: behind a line break if one is in the second half, never inside a character. */
function headCut(text: string, room: number, head: number): number {
  if (room <= 0) return 0;
  const line = text.lastIndexOf("\n", room - 1) + 1;
  if (line > 0 && room - line < head / 2) return line;
  return isInsidePair(text, room) ? room - 1 : room;
}

function tailCut(text: string, tail: number): number {
  const start = text.length - tail;
  if (start <= 0) return 0;
  if (tail === 0) return text.length;
  if (text[start - 1] === "\n") return start;
  const line = text.indexOf("\n", start) + 1;
  if (line > 0 && line - start < tail / 2) return line;
  return isInsidePair(text, start) ? start + 1 : start;
}

function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const next = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
}

/** {@link TextWindow} for bytes, without regard to lines. */
export class ByteWindow {
  readonly #size: WindowSize;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;

  constructor(size: WindowSize) {
    this.#size = size;
  }

  /** Takes a copy of what it keeps; the bytes may change afterwards. */
  push(bytes: Uint8Array): void {
    this.#total += bytes.length;
    const room = this.#size.head - this.#headBytes;
    const first = Math.min(room, bytes.length);
    if (first > 0) {
      this.#head.push(Buffer.from(bytes.subarray(0, first)));
      this.#headBytes += first;
    }
    // What lies further back than the tail reaches need not even be copied.
    const rest = bytes.subarray(Math.max(first, bytes.length - this.#size.tail));
    if (rest.length === 0) return;
    this.#tail.push(Buffer.from(rest));
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#size.tail + 4096) this.#shorten();
  }

  view(): ByteView {
    this.#shorten();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    return { head, tail, omitted: this.#total - head.length - tail.length };
  }

  #shorten(): void {
    const joined = Buffer.concat(this.#tail);
    const kept = joined.subarray(Math.max(0, joined.length - this.#size.tail));
    this.#tail = [Buffer.from(kept)];
    this.#tailBytes = kept.length;
  }
}
