import { type Codec, codecFor, markOf, type TextEncoding, UTF8 } from "../../lib/encoding.ts";
import { type LineWindow, type RawLine, readLineWindow } from "../../lib/line-window.ts";
import { READ_MANNER, type ReadManner } from "./manner.ts";
import { counted, grouped } from "./notes.ts";

/** How much of a text is shown. */
export interface TextLimits {
  /** Characters of one line. */
  readonly maxLineCharacters: number;
  /** Characters in all. */
  readonly maxAnswerCharacters: number;
}

/** Which part of a text is asked for. */
export interface TextRange extends TextLimits {
  /** From 1. */
  readonly offset: number;
  readonly limit: number;
}

/** Lines as they are shown, and what there is to say about them. */
export interface TextView {
  readonly text: string;
  readonly notes: readonly string[];
  readonly shown: number;
  readonly more: boolean;
  readonly totalLines?: number;
  readonly lineEndings: "lf" | "crlf" | "cr" | "mixed" | "none";
}

/** The bytes of a character at most, in any encoding that is read here. */
const MAX_CHARACTER_BYTES = 4;

/** Shows a range of a text's lines, numbered; reads no further than it has to. */
export async function viewText(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: TextEncoding,
  range: TextRange,
  newline?: number,
  manner: ReadManner = READ_MANNER,
): Promise<TextView> {
  const wide = encoding.unit > 1;
  const codec = await codecFor(wide ? UTF8 : encoding);
  const window = await readLineWindow(wide ? asUtf8(chunks, encoding) : skip(chunks, encoding.bom), {
    offset: range.offset,
    limit: range.limit,
    maxLineBytes: (range.maxLineCharacters + 1) * MAX_CHARACTER_BYTES,
    maxBytes: range.maxAnswerCharacters * MAX_CHARACTER_BYTES,
    ...(newline === undefined ? {} : { newline }),
  });
  return render(window, codec, range, manner);
}

/** Leaves out the first bytes of a stream: the byte order mark. */
function skip(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  count: number,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return count === 0 ? chunks : afterMark(chunks, count);
}

async function* afterMark(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const chunk of chunks) {
    const dropped = Math.min(left, chunk.length);
    left -= dropped;
    yield dropped === 0 ? chunk : chunk.subarray(dropped);
  }
}

/** Wide encodings are turned into UTF-8 on the way, so that lines are found in one kind of bytes. */
async function* asUtf8(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: TextEncoding,
): AsyncGenerator<Uint8Array> {
  const codec = await codecFor(encoding);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of skip(chunks, markOf(encoding).length)) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = wholeUnits(bytes, encoding);
    rest = bytes.subarray(whole);
    yield Buffer.from(codec.decode(bytes.subarray(0, whole)), "utf8");
  }
  if (rest.length > 0) yield Buffer.from("\ufffd", "utf8");
}

/** Length up to the last whole character: neither half a unit nor half a surrogate pair. */
function wholeUnits(bytes: Buffer, encoding: TextEncoding): number {
  const whole = bytes.length - (bytes.length % encoding.unit);
  if (encoding.unit !== 2 || whole < 2) return whole;
  const high = bytes[encoding.name === "utf-16le" ? whole - 1 : whole - 2] ?? 0;
  return high >= 0xd8 && high <= 0xdb ? whole - 2 : whole;
}

function render(window: LineWindow, codec: Codec, range: TextRange, manner: ReadManner): TextView {
  const rows: string[] = [];
  let clipped = 0;
  let characters = 0;
  for (const line of window.lines) {
    const shown = showLine(line, codec, range.maxLineCharacters);
    const number = manner.numbered ? `${String(range.offset + rows.length).padStart(6)}\t` : "";
    const row = number + shown.text;
    if (rows.length > 0 && characters + row.length > range.maxAnswerCharacters) break;
    characters += row.length + 1;
    if (shown.clipped) clipped += 1;
    rows.push(row);
  }
  const text = rows.join("\n");
  const more = window.more || rows.length < window.lines.length;
  return {
    // A NUL is legal in a text and breaks half of what an answer passes through.
    text: text.replaceAll("\0", "\u2400"),
    notes: notesOn({ shown: rows.length, more, clipped }, window, range, manner),
    shown: rows.length,
    more,
    ...(window.total === undefined ? {} : { totalLines: window.total }),
    lineEndings: endingsOf(window.lines.slice(0, rows.length)),
  };
}

function showLine(
  line: RawLine,
  codec: Codec,
  most: number,
): { readonly text: string; readonly clipped: boolean } {
  const whole = codec.decode(line.bytes);
  if (line.clipped === 0 && whole.length <= most) return { text: whole, clipped: false };
  let kept = whole.slice(0, most);
  if (!kept.isWellFormed() && whole.isWellFormed()) kept = kept.slice(0, -1);
  const shownBytes = codec.encode(kept)?.length ?? kept.length;
  const left = line.bytes.length + line.clipped - shownBytes;
  return { text: `${kept}… [clipped: ${counted(left, "more byte")}]`, clipped: true };
}

interface Shown {
  readonly shown: number;
  readonly more: boolean;
  readonly clipped: number;
}

function notesOn(
  { shown, more, clipped }: Shown,
  window: LineWindow,
  range: TextRange,
  manner: ReadManner,
): readonly string[] {
  const notes: string[] = [];
  const last = range.offset + shown - 1;
  const of = window.total === undefined ? "" : ` of ${grouped(window.total)}`;
  const which = shown === 1 ? `Line ${last}` : `Lines ${range.offset}–${last}`;
  if (more) notes.push(`${which}${of}; more follow. Continue with ${manner.start}=${last + 1}.`);
  else if (shown > 0 && range.offset > 1) notes.push(`${which}${of}: the end of the file.`);
  if (clipped > 0) {
    const what = clipped === 1 ? "A line is" : `${clipped} lines are`;
    notes.push(
      `${what} clipped at ${range.maxLineCharacters} characters; ${manner.inLine} shows other parts.`,
    );
  }
  return notes;
}

function endingsOf(lines: readonly RawLine[]): TextView["lineEndings"] {
  const kinds = new Set(lines.map(({ ending }) => ending).filter((ending) => ending !== ""));
  if (kinds.size > 1) return "mixed";
  if (kinds.has("\r\n")) return "crlf";
  if (kinds.has("\r")) return "cr";
  return kinds.has("\n") ? "lf" : "none";
}
