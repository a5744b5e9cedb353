import { type FileBytes, isAt, type Match, nextAt, type Piece } from "./match.ts";

/** A file as lines, decoded when they are looked at. */
export class FileLines {
  readonly file: FileBytes;
  readonly #pieces: Piece[] = [];
  readonly #texts: string[] = [];

  constructor(file: FileBytes, from: number) {
    this.file = file;
    const { bytes, codec, lf, cr, returnsOnly } = file;
    const newline = returnsOnly ? cr : lf;
    let start = from;
    for (let at = nextAt(bytes, codec, newline, from); at >= 0; at = nextAt(bytes, codec, newline, start)) {
      const crlf = !returnsOnly && at - cr.length >= start && isAt(bytes, cr, at - cr.length);
      this.#pieces.push({ start, end: crlf ? at - cr.length : at });
      start = at + newline.length;
    }
    this.#pieces.push({ start, end: bytes.length });
  }

  get count(): number {
    return this.#pieces.length;
  }

  piece(line: number): Piece {
    return this.#pieces[line] ?? { start: this.file.bytes.length, end: this.file.bytes.length };
  }

  text(line: number): string {
    const known = this.#texts[line];
    if (known !== undefined) return known;
    const { start, end } = this.piece(line);
    const text = this.file.codec.decode(this.file.bytes.subarray(start, end));
    this.#texts[line] = text;
    return text;
  }

  /** Where a character of a line lies in the file. `undefined` when the line holds bytes that don't decode. */
  offset(line: number, character: number): number | undefined {
    const { start, end } = this.piece(line);
    const text = this.text(line);
    const whole = this.file.codec.encode(text);
    if (whole?.length !== end - start || !isAt(this.file.bytes, Buffer.from(whole), start)) return undefined;
    return start + (this.file.codec.encode(text.slice(0, character))?.length ?? 0);
  }
}

/** A place that matches but for one harmless difference, and how new lines are carried over to it. */
export interface NearMatch {
  readonly match: Match;
  readonly carry: (line: string) => string;
}

const ASCII = /^[\x00-\x7f]*$/;

/** Places at which the text is the same in another Unicode form: `é` as one character or as `e` with an accent. */
export function unicodeMatches(lines: FileLines, old: readonly string[]): readonly NearMatch[] {
  const wanted = old.map((line) => line.normalize("NFC"));
  if (wanted.every((line) => ASCII.test(line))) return [];
  const found: NearMatch[] = [];
  for (let at = 0; at + wanted.length <= lines.count; at += 1) {
    for (const match of unicodeMatchesAt(lines, wanted, at)) found.push({ match, carry: (line) => line });
  }
  return found;
}

function* unicodeMatchesAt(lines: FileLines, wanted: readonly string[], at: number): Generator<Match> {
  const [first = "", ...rest] = wanted;
  const head = fold(lines.text(at));
  if (rest.length === 0) {
    for (
      let from = head.text.indexOf(first);
      from >= 0;
      from = head.text.indexOf(first, from + first.length)
    ) {
      const piece = pieceOf(lines, at, head, from, from + first.length);
      if (piece !== undefined) yield [piece];
    }
    return;
  }
  if (!head.text.endsWith(first)) return;
  const start = pieceOf(lines, at, head, head.text.length - first.length, head.text.length);
  const others = followingPieces(lines, rest, at + 1);
  if (start !== undefined && others !== undefined) yield [start, ...others];
}

/** The lines after the first: whole ones, and the last from its start. */
function followingPieces(
  lines: FileLines,
  wanted: readonly string[],
  at: number,
): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  for (const [index, line] of wanted.entries()) {
    const folded = fold(lines.text(at + index));
    const fits = index === wanted.length - 1 ? folded.text.startsWith(line) : folded.text === line;
    const piece = fits ? pieceOf(lines, at + index, folded, 0, line.length) : undefined;
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  return pieces;
}

/** A line in composed form, with the place in the line of each of its characters; -1 within a composed group. */
interface Folded {
  readonly text: string;
  readonly places: readonly number[] | undefined;
}

/** A letter with its marks, or Korean letters that join to syllables. */
const GROUP = /[\u1100-\u11ff]+|\P{M}\p{M}*|\p{M}+/gu;

function fold(line: string): Folded {
  if (ASCII.test(line)) return { text: line, places: undefined };
  let text = "";
  const places: number[] = [];
  for (const group of line.matchAll(GROUP)) {
    const composed = group[0].normalize("NFC");
    places.push(group.index);
    for (let i = 1; i < composed.length; i += 1) places.push(-1);
    text += composed;
  }
  places.push(line.length);
  return { text, places };
}

function pieceOf(
  lines: FileLines,
  line: number,
  folded: Folded,
  from: number,
  to: number,
): Piece | undefined {
  const [first, last] = folded.places === undefined ? [from, to] : [folded.places[from], folded.places[to]];
  if (first === undefined || last === undefined || first < 0 || last < 0) return undefined;
  const start = lines.offset(line, first);
  const end = lines.offset(line, last);
  return start === undefined || end === undefined ? undefined : { start, end };
}
