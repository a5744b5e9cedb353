import { hash } from "node:crypto";
import { type Codec, view } from "../lib/encoding.ts";
import { readLine } from "./entry-line.ts";

/** Lines of one block at most. */
export const BLOCK_LINES = 256;
/** Bytes from which a block takes no further line. */
const BLOCK_BYTES = 128 * 1024;

/** Whole lines of a file that follow each other. */
export interface Block {
  readonly bytes: number;
  readonly lines: number;
  /** Lines that aren't blank. */
  readonly entries: number;
  /** Names the bytes. */
  readonly digest: string;
  /** The last line has no end. */
  readonly isOpen: boolean;
  /** The earliest and the latest day in it; empty when there is none. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** How many entries each source has. */
  readonly sources: ReadonlyMap<string, number>;
}

/** Where lines end. */
export interface LineEnd {
  /** A newline's bytes. */
  readonly newline: Buffer;
  readonly unit: number;
}

/** Where lines end in an encoding. */
export function lineEnd({ encoding, encode }: Codec): LineEnd {
  return { newline: view(encode("\n") ?? Buffer.from("\n")), unit: encoding.unit };
}

/** The offset behind the next line's end; -1 when there is none. */
export function nextLine(bytes: Buffer, from: number, { newline, unit }: LineEnd): number {
  for (let at = bytes.indexOf(newline, from); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    if (at % unit === 0) return at + newline.length;
  }
  return -1;
}

/** A block that is being filled: so many lines up to an offset. */
interface Filled {
  readonly end: number;
  readonly lines: number;
}

/** How far the first block of some bytes goes; `isLast` says that nothing follows them. `undefined`: more bytes are needed. */
export function firstBlock(bytes: Buffer, end: LineEnd, isLast: boolean): Filled | undefined {
  let at = 0;
  let lines = 0;
  while (lines < BLOCK_LINES && at < BLOCK_BYTES) {
    const next = nextLine(bytes, at, end);
    if (next < 0) {
      if (!isLast || bytes.length === 0) return undefined;
      return at < bytes.length ? { end: bytes.length, lines: lines + 1 } : { end: at, lines };
    }
    at = next;
    lines += 1;
  }
  return { end: at, lines };
}

/** The lines of a block as text, without their ends. `isFirst`: the file's mark, if it has one, is none of it. */
export function blockLines(bytes: Uint8Array, codec: Codec, isFirst: boolean): readonly string[] {
  const { name, bom } = codec.encoding;
  const text = isFirst && bom > 0 ? bytes.subarray(bom) : bytes;
  const lines = name.startsWith("utf-") ? splitLines(codec.decode(text)) : decodedLines(view(text), codec);
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** One by one: in older encodings a damaged character could swallow the end of its line. */
function decodedLines(bytes: Buffer, codec: Codec): string[] {
  const end = lineEnd(codec);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const next = nextLine(bytes, at, end);
    const stop = next < 0 ? bytes.length : next - end.newline.length;
    lines.push(codec.decode(bytes.subarray(at, stop)));
    at = next < 0 ? bytes.length : next;
  }
  return lines;
}

/** What there is to know of a block. */
export function describeBlock(bytes: Buffer, codec: Codec, isFirst: boolean): Block {
  const sources = new Map<string, number>();
  const lines = blockLines(bytes, codec, isFirst);
  let entries = 0;
  let [firstDay, lastDay] = ["", ""];
  for (const line of lines) {
    const entry = readLine(line);
    if (entry === undefined) continue;
    entries += 1;
    const { date, source } = entry;
    if (date === undefined || source === undefined) continue;
    sources.set(source, (sources.get(source) ?? 0) + 1);
    if (firstDay === "" || date < firstDay) firstDay = date;
    if (date > lastDay) lastDay = date;
  }
  const { newline, unit } = lineEnd(codec);
  const ending = bytes.lastIndexOf(newline);
  const isOpen = !(ending === bytes.length - newline.length && ending % unit === 0);
  return {
    bytes: bytes.length,
    lines: lines.length,
    entries,
    digest: digestOf(bytes),
    isOpen,
    firstDay,
    lastDay,
    sources,
  };
}

/** Names bytes, by so much of a hash that no two parts of a memory are mistaken for each other. */
export function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "base64url").slice(0, 22);
}
