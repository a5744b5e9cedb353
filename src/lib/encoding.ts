import { isAscii, isUtf8 } from "node:buffer";
import { characterFrom, DOUBLE_BYTE, type DoubleByte } from "./double-byte.ts";

/** How a text file's bytes stand for characters. */
export interface TextEncoding {
  /** `utf-8`, `utf-16le`, `utf-16be`, `utf-32le`, `utf-32be`, or a name that iconv knows: `Shift_JIS`, `windows-1252`. */
  readonly name: string;
  /** Bytes of the byte order mark at the start of the file; 0 when there is none. */
  readonly bom: number;
  /** Bytes of one code unit: a newline is 0x0A in that many bytes. */
  readonly unit: 1 | 2 | 4;
  /** It is UTF-8, but some bytes are not. */
  readonly damaged?: boolean;
}

/** UTF-8 without a mark: what new files are written in. */
export const UTF8: TextEncoding = { name: "utf-8", bom: 0, unit: 1 };

const MARKS: readonly (TextEncoding & { readonly mark: Buffer })[] = [
  { name: "utf-32le", bom: 4, unit: 4, mark: Buffer.from([0xff, 0xfe, 0, 0]) },
  { name: "utf-32be", bom: 4, unit: 4, mark: Buffer.from([0, 0, 0xfe, 0xff]) },
  { name: "utf-8", bom: 3, unit: 1, mark: Buffer.from([0xef, 0xbb, 0xbf]) },
  { name: "utf-16le", bom: 2, unit: 2, mark: Buffer.from([0xff, 0xfe]) },
  { name: "utf-16be", bom: 2, unit: 2, mark: Buffer.from([0xfe, 0xff]) },
];

/** The encoding that a byte order mark names, if the bytes start with one. */
export function markedEncoding(bytes: Uint8Array): TextEncoding | undefined {
  const found = MARKS.find(({ mark }) => mark.equals(bytes.subarray(0, mark.length)));
  return found && { name: found.name, bom: found.bom, unit: found.unit };
}

/** The bytes of an encoding's own mark; empty when the file has none. */
export function markOf(encoding: TextEncoding): Uint8Array {
  if (encoding.bom === 0) return new Uint8Array();
  return MARKS.find(({ name }) => name === encoding.name)?.mark ?? new Uint8Array();
}

/** Turns bytes into text and back, in one encoding. Marks are not its business. */
export interface Codec {
  readonly encoding: TextEncoding;
  /** What can't be decoded becomes U+FFFD. */
  decode(bytes: Uint8Array): string;
  /** `undefined` when a character has no bytes in this encoding. */
  encode(text: string): Uint8Array | undefined;
  /** Whether a character may begin at an offset: a match elsewhere is not one. */
  aligned(bytes: Uint8Array, offset: number): boolean;
}

/** The codec of an encoding. Loads the tables of legacy encodings on first use. */
export async function codecFor(encoding: TextEncoding): Promise<Codec> {
  switch (encoding.name) {
    case "utf-8":
      return { encoding, decode: decodeUtf8, encode: encodeUtf8, aligned: () => true };
    case "utf-16le":
      return {
        encoding,
        decode: (bytes) => view(bytes).toString("utf16le"),
        encode: encodeUtf16,
        aligned: even,
      };
    case "utf-16be":
      return {
        encoding,
        decode: (bytes) => swapped(view(bytes)).toString("utf16le"),
        encode: (text) => swapped(encodeUtf16(text)),
        aligned: even,
      };
    default:
      return legacyCodec(encoding);
  }
}

async function legacyCodec(encoding: TextEncoding): Promise<Codec> {
  const { default: iconv } = await import("iconv-lite");
  const pairs = DOUBLE_BYTE.find(({ name }) => name === encoding.name);
  return {
    encoding,
    decode: (bytes) => iconv.decode(view(bytes), encoding.name, { stripBOM: false }),
    encode: (text) => {
      const bytes = iconv.encode(text, encoding.name, { addBOM: false });
      return iconv.decode(bytes, encoding.name, { stripBOM: false }) === text ? bytes : undefined;
    },
    aligned: pairs === undefined ? (_bytes, offset) => offset % encoding.unit === 0 : alignment(pairs),
  };
}

/** Looks for one place after another, so it goes on from where it was: one long line is walked once, not once a place. */
function alignment(pairs: DoubleByte): Codec["aligned"] {
  let last: { readonly bytes: Uint8Array; readonly at: number } | undefined;
  return (bytes, offset) => {
    const at = characterFrom(pairs, bytes, offset, last?.bytes === bytes ? last.at : 0);
    last = { bytes, at };
    return at === offset;
  };
}

/** The same bytes as a Buffer, without a copy. */
export function view(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether bytes are UTF-8 throughout; `cut` says that the end is a cut, which may go through a character. */
export function isUtf8Text(bytes: Uint8Array, cut = false): boolean {
  return isAscii(bytes) || isUtf8(cut ? bytes.subarray(0, wholeUtf8(bytes)) : bytes);
}

/** Bytes of the UTF-8 character that a byte begins; 0 when none begins with it. */
export function utf8Length(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Length without the character that the end cuts in two. */
function wholeUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const length = utf8Length(bytes[bytes.length - back] ?? 0);
    if (length > 0) return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function decodeUtf8(bytes: Uint8Array): string {
  return view(bytes).toString("utf8");
}

function encodeUtf8(text: string): Uint8Array | undefined {
  return text.isWellFormed() ? Buffer.from(text, "utf8") : undefined;
}

function encodeUtf16(text: string): Buffer {
  return Buffer.from(text, "utf16le");
}

function swapped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return copy.swap16();
}

function even(_bytes: Uint8Array, offset: number): boolean {
  return offset % 2 === 0;
}
