import { encodeFor } from "../file/text.ts";
import { type FileBytes, isAt, type Match, matchEnd, nextAt, previousAt } from "./match.ts";

/** What is to stand where a match is. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/** The old and the new text as lines; `carry` is applied to each new line that isn't an old one. */
export interface LineChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly carry?: (line: string) => string;
}

/**
 * The bytes for each match. Lines that old and new text share at their start and end keep the file's own bytes, endings
 * included; what is between them is written as given, with the endings that lines have at that place.
 */
export function replacementsFor(
  file: FileBytes,
  matches: Iterable<Match>,
  change: LineChange,
  path: string,
): readonly Replacement[] {
  const { before, after, carry = (line: string): string => line } = change;
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const encoded = after.map((line, at) =>
    at < head || at >= after.length - tail
      ? undefined
      : Buffer.from(encodeFor(file.codec, carry(line), path)),
  );
  const ending = endingFinder(file);
  const shape = { head, tail, old: before.length, encoded };
  return Array.from(matches, (match) => ({
    start: match[0].start,
    end: matchEnd(match),
    bytes: assemble(file, match, shape, after.length > 1 ? ending(match) : file.lf),
  }));
}

interface Shape {
  readonly head: number;
  readonly tail: number;
  /** How many lines the old text has. */
  readonly old: number;
  /** The new lines; `undefined` where the file's own bytes stay. */
  readonly encoded: readonly (Buffer | undefined)[];
}

function assemble(file: FileBytes, match: Match, shape: Shape, style: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (const [at, bytes] of shape.encoded.entries()) {
    if (at > 0) parts.push(endingBefore(file, match, shape, at) ?? style);
    const piece = match[oldIndex(shape, at)];
    if (bytes !== undefined) parts.push(bytes);
    else if (piece !== undefined) parts.push(file.bytes.subarray(piece.start, piece.end));
  }
  return Buffer.concat(parts);
}

/** The old line that a new line is, counted from the end for those in the tail. */
function oldIndex(shape: Shape, at: number): number {
  return at < shape.head ? at : shape.old - (shape.encoded.length - at);
}

/** The file's own ending before a new line, where the line before or the line itself is one of the file's. */
function endingBefore(file: FileBytes, match: Match, shape: Shape, at: number): Buffer | undefined {
  const after = (line: number): Buffer | undefined => {
    const [left, right] = [match[line], match[line + 1]];
    return left && right && file.bytes.subarray(left.end, right.start);
  };
  if (at - 1 < shape.head && at - 1 < shape.old - 1) return after(at - 1);
  if (at >= shape.encoded.length - shape.tail) return after(oldIndex(shape, at) - 1);
  return undefined;
}

function commonHead(before: readonly string[], after: readonly string[]): number {
  let count = 0;
  while (count < before.length && count < after.length && before[count] === after[count]) count += 1;
  return count;
}

function commonTail(before: readonly string[], after: readonly string[], head: number): number {
  const most = Math.min(before.length, after.length) - head;
  let count = 0;
  while (count < most && before.at(-1 - count) === after.at(-1 - count)) count += 1;
  return count;
}

/** Tells how lines end at a match: within it, else after it, else before it. Matches come in the file's order. */
function endingFinder(file: FileBytes): (match: Match) => Buffer {
  const { bytes, codec, lf, cr, returnsOnly } = file;
  let next = -2;
  const endingAt = (newline: number): Buffer =>
    isAt(bytes, cr, newline - cr.length) ? Buffer.concat([cr, lf]) : lf;
  return (match) => {
    if (returnsOnly) return cr;
    const [first, second] = match;
    if (second !== undefined) return bytes.subarray(first.end, second.start);
    if (next !== -1 && next < first.end) next = nextAt(bytes, codec, lf, first.end);
    if (next >= 0) return endingAt(next);
    const previous = previousAt(bytes, codec, lf, first.start);
    return previous >= 0 ? endingAt(previous) : lf;
  };
}

/** How much of a large file is gathered before it is handed on. */
const PIECE = 1024 * 1024;

/** A file with its replacements put in, piece by piece, without a second copy of it in memory. */
export async function* spliced(
  bytes: Buffer,
  replacements: readonly Replacement[],
): AsyncGenerator<Uint8Array> {
  let gathered: Buffer[] = [];
  let size = 0;
  for (const part of parts(bytes, replacements)) {
    if (part.length < PIECE) {
      gathered.push(part);
      size += part.length;
      if (size < PIECE) continue;
    }
    if (gathered.length > 0) yield Buffer.concat(gathered);
    if (part.length >= PIECE) yield part;
    gathered = [];
    size = 0;
  }
  if (gathered.length > 0) yield Buffer.concat(gathered);
}

/** The same as one buffer, for files of ordinary size. */
export function splicedWhole(bytes: Buffer, replacements: readonly Replacement[]): Buffer {
  return Buffer.concat([...parts(bytes, replacements)]);
}

function* parts(bytes: Buffer, replacements: readonly Replacement[]): Generator<Buffer> {
  let at = 0;
  for (const { start, end, bytes: replacement } of replacements) {
    yield bytes.subarray(at, start);
    yield replacement;
    at = end;
  }
  yield bytes.subarray(at);
}
