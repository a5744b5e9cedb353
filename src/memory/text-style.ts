import { isAscii } from "node:buffer";
import type { Backend, FileStat } from "../backend.ts";
import { detectEncoding } from "../lib/detect-encoding.ts";
import { type Codec, codecFor, markOf, type TextEncoding, UTF8, view } from "../lib/encoding.ts";

/** How a memory's file is written, so that what is added to it is written alike. */
export interface TextStyle {
  readonly codec: Codec;
  readonly eol: "\n" | "\r\n";
  /** The last line has no end: what is added has to begin with one. */
  readonly isOpen: boolean;
}

const SAMPLE_BYTES = 64 * 1024;

/** Looks at the beginning and at the end of a file, which is enough for what a person edits. */
export async function textStyle(
  backend: Backend,
  path: string,
  { size }: FileStat,
  signal: AbortSignal | undefined,
): Promise<TextStyle> {
  const read = (offset: number): Promise<Uint8Array> =>
    backend.readFile(path, {
      offset,
      length: SAMPLE_BYTES,
      realPath: path,
      ...(signal === undefined ? {} : { signal }),
    });
  const head = await read(0);
  // At a multiple of four, so that no character of a fixed width is cut.
  const from = Math.max(0, size - SAMPLE_BYTES + 4);
  const tail = size <= SAMPLE_BYTES ? head : await read(from - (from % 4));
  const codec = await codecFor(await encodingOf(head, tail, size));
  const text = codec.decode(tail);
  return {
    codec,
    eol: endOfLine(text),
    isOpen: size > markOf(codec.encoding).length && !text.endsWith("\n"),
  };
}

async function encodingOf(head: Uint8Array, tail: Uint8Array, size: number): Promise<TextEncoding> {
  const first = await detectEncoding(head, head.length < size);
  if (first.name !== UTF8.name || first.bom > 0 || tail === head || !isAscii(head)) return first;
  // Nothing at the beginning says more than ASCII. The end is looked at from a line's start.
  return detectEncoding(tail.subarray(view(tail).indexOf(10) + 1));
}

/** As the last line that has an end; a new file's is the plain one. */
function endOfLine(text: string): TextStyle["eol"] {
  const at = text.lastIndexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}
