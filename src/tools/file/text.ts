import { isAscii } from "node:buffer";
import { ToolgateError } from "../../errors.ts";
import { countByte } from "../../lib/count-byte.ts";
import { detectEncoding, SAMPLE_BYTES } from "../../lib/detect-encoding.ts";
import { type Codec, isUtf8Text, type TextEncoding, UTF8, view } from "../../lib/encoding.ts";

/** The encoding of a whole file. Looks at the start as Read does; where that is plain ASCII, at the first part that isn't. */
export async function encodingOfFile(bytes: Uint8Array): Promise<TextEncoding> {
  const head = bytes.subarray(0, SAMPLE_BYTES);
  if (head.length === bytes.length || !isAscii(head)) return detectEncoding(head, head.length < bytes.length);
  if (isUtf8Text(bytes)) return UTF8;
  let at = 0;
  while (at < bytes.length && isAscii(bytes.subarray(at, at + SAMPLE_BYTES))) at += SAMPLE_BYTES;
  // From a line's start, so that the sample doesn't begin within a character.
  const from = view(bytes).lastIndexOf(10, at) + 1;
  return detectEncoding(bytes.subarray(from, from + 2 * SAMPLE_BYTES), true);
}

/**
 * Text in a file's encoding.
 * @throws ToolgateError `invalid_input` naming the first character that has no place in it
 */
export function encodeFor(codec: Codec, text: string, path: string): Uint8Array {
  const bytes = codec.encode(text);
  if (bytes !== undefined) return bytes;
  let line = 1;
  for (const character of text) {
    if (character === "\n") line += 1;
    if (codec.encode(character) === undefined) throw unencodable(codec, character, line, path);
  }
  throw new ToolgateError(
    "invalid_input",
    `The new text can't be written in ${codec.encoding.name}, the encoding of ${path}.`,
  );
}

function unencodable(codec: Codec, character: string, line: number, path: string): ToolgateError {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  const shown = character.isWellFormed() ? `"${character}" (${code})` : `half a surrogate pair (${code})`;
  return new ToolgateError(
    "invalid_input",
    `Line ${line} of the new text holds ${shown}, which can't be written in ${codec.encoding.name}, the encoding of ${path}.`,
    { hint: "Nothing was written. Use another character, or convert the file first (iconv in Bash)." },
  );
}

/** The number of the line in which an offset lies, from 1. */
export function lineAt(codec: Codec, bytes: Uint8Array, offset: number): number {
  const before = bytes.subarray(0, offset);
  if (codec.encoding.unit === 1) {
    const lines = countByte(before, 10);
    return 1 + (lines === 0 && view(bytes).indexOf(10) < 0 ? countByte(before, 13) : lines);
  }
  return codec.decode(before).split("\n").length;
}
