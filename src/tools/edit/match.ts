import { type Codec, view } from "../../lib/encoding.ts";

/** Where one line of the old text lies in the file: bytes from `start` to before `end`, its ending not included. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

/** One place that the old text matches: a piece for each of its lines. */
export type Match = readonly [Piece, ...Piece[]];

/** The end of a match's last line. */
export function matchEnd(match: Match): number {
  return match.at(-1)?.end ?? match[0].end;
}

/** A file's bytes, and how its lines end in its encoding. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly codec: Codec;
  readonly lf: Buffer;
  readonly cr: Buffer;
  /** Lines end with a lone return: there is no newline in the file. */
  readonly returnsOnly: boolean;
}

/** Prepares a file for searching. */
export function fileBytes(bytes: Uint8Array, codec: Codec): FileBytes {
  const lf = view(codec.encode("\n") ?? new Uint8Array());
  const cr = view(codec.encode("\r") ?? new Uint8Array());
  const buffer = view(bytes);
  const returnsOnly = nextAt(buffer, codec, lf, 0) < 0 && buffer.indexOf(cr) >= 0;
  return { bytes: buffer, codec, lf, cr, returnsOnly };
}

/** The next place of some bytes at which a character begins; -1 when there is none. */
export function nextAt(bytes: Buffer, codec: Codec, wanted: Buffer, from: number): number {
  let at = bytes.indexOf(wanted, from);
  while (at >= 0 && !codec.aligned(bytes, at)) at = bytes.indexOf(wanted, at + 1);
  return at;
}

/** The last place of some bytes, ending before an offset, at which a character begins; -1 when there is none. */
export function previousAt(bytes: Buffer, codec: Codec, wanted: Buffer, before: number): number {
  // A search from before the start would begin at the end.
  let at = before < wanted.length ? -1 : bytes.lastIndexOf(wanted, before - wanted.length);
  while (at >= 0 && !codec.aligned(bytes, at)) at = at === 0 ? -1 : bytes.lastIndexOf(wanted, at - 1);
  return at;
}

/** Exact occurrences of bytes, each as one piece. */
export function* exactMatches(file: FileBytes, wanted: Buffer): Generator<Match> {
  const { bytes, codec } = file;
  for (
    let at = nextAt(bytes, codec, wanted, 0);
    at >= 0;
    at = nextAt(bytes, codec, wanted, at + wanted.length)
  ) {
    yield [{ start: at, end: at + wanted.length }];
  }
}

/**
 * Occurrences of lines, whatever their endings are in the file. Searches for the longest line and looks
 * round each hit, so that a file is gone through once, at the speed of a search for bytes.
 */
export function* lineMatches(file: FileBytes, lines: readonly Buffer[]): Generator<Match> {
  const [only] = lines;
  if (only !== undefined && lines.length === 1) {
    yield* exactMatches(file, only);
    return;
  }
  const anchor = longest(lines);
  const line = lines[anchor];
  if (line === undefined) return;
  // Nothing but empty lines: the endings themselves are searched for.
  const wanted = line.length > 0 ? line : file.returnsOnly ? file.cr : file.lf;
  let taken = 0;
  for (let at = file.bytes.indexOf(wanted); at >= 0; at = file.bytes.indexOf(wanted, at + 1)) {
    const match = around(file, lines, anchor, line.length > 0 ? at : endingStart(file, at));
    if (match === undefined || match[0].start < taken || !file.codec.aligned(file.bytes, match[0].start))
      continue;
    yield match;
    taken = matchEnd(match);
    at = Math.max(at, taken - 1);
  }
}

function longest(lines: readonly Buffer[]): number {
  let best = 0;
  for (const [at, line] of lines.entries()) if (line.length > (lines[best]?.length ?? 0)) best = at;
  return best;
}

/** Where a line's ending begins, given where its newline is. */
function endingStart(file: FileBytes, newline: number): number {
  const before = newline - file.cr.length;
  return !file.returnsOnly && isAt(file.bytes, file.cr, before) ? before : newline;
}

/** The match whose line number `anchor` begins at an offset, if the lines before and after fit too. */
function around(file: FileBytes, lines: readonly Buffer[], anchor: number, at: number): Match | undefined {
  const pieces = new Array<Piece>(lines.length);
  const length = lines[anchor]?.length ?? 0;
  pieces[anchor] = { start: at, end: at + length };
  let start = at;
  for (let i = anchor - 1; i >= 0; i -= 1) {
    const end = beforeEnding(file, start);
    const line = lines[i];
    if (end === undefined || line === undefined || !isAt(file.bytes, line, end - line.length))
      return undefined;
    start = end - line.length;
    pieces[i] = { start, end };
  }
  let end = at + length;
  for (let i = anchor + 1; i < lines.length; i += 1) {
    const next = afterEnding(file, end);
    const line = lines[i];
    if (next === undefined || line === undefined || !isAt(file.bytes, line, next)) return undefined;
    end = next + line.length;
    pieces[i] = { start: next, end };
  }
  const [first, ...rest] = pieces;
  return first === undefined ? undefined : [first, ...rest];
}

/** Where the line ending that ends at an offset begins. */
function beforeEnding(file: FileBytes, offset: number): number | undefined {
  const { bytes, lf, cr, returnsOnly } = file;
  if (isAt(bytes, lf, offset - lf.length)) return endingStart(file, offset - lf.length);
  return returnsOnly && isAt(bytes, cr, offset - cr.length) ? offset - cr.length : undefined;
}

/** Where the line ending that begins at an offset ends. */
function afterEnding(file: FileBytes, offset: number): number | undefined {
  const { bytes, lf, cr, returnsOnly } = file;
  if (isAt(bytes, lf, offset)) return offset + lf.length;
  if (!isAt(bytes, cr, offset)) return undefined;
  if (isAt(bytes, lf, offset + cr.length)) return offset + cr.length + lf.length;
  return returnsOnly ? offset + cr.length : undefined;
}

/** Whether bytes stand at an offset. */
export function isAt(bytes: Buffer, wanted: Buffer, offset: number): boolean {
  if (offset < 0 || offset + wanted.length > bytes.length) return false;
  return wanted.length === 0 || bytes.compare(wanted, 0, wanted.length, offset, offset + wanted.length) === 0;
}
