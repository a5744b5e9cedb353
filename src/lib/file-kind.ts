import { view } from "./encoding.ts";

/** One kind of file that is told by its first bytes. */
interface Magic {
  readonly what: string;
  readonly mediaType?: string;
  /** @default 0 */
  readonly at?: number;
  /** The bytes as Latin-1 text; `?` is any byte. */
  readonly bytes: string;
}

const MAGIC: readonly Magic[] = [
  { what: "PNG image", mediaType: "image/png", bytes: "\x89PNG\r\n\x1a\n" },
  { what: "JPEG image", mediaType: "image/jpeg", bytes: "\xff\xd8\xff" },
  { what: "GIF image", mediaType: "image/gif", bytes: "GIF87a" },
  { what: "GIF image", mediaType: "image/gif", bytes: "GIF89a" },
  { what: "WebP image", mediaType: "image/webp", bytes: "RIFF????WEBP" },
  { what: "AVIF image", mediaType: "image/avif", at: 4, bytes: "ftypavif" },
  { what: "AVIF image", mediaType: "image/avif", at: 4, bytes: "ftypavis" },
  { what: "HEIC image", mediaType: "image/heic", at: 4, bytes: "ftyphei?" },
  { what: "HEIC image", mediaType: "image/heic", at: 4, bytes: "ftyphev?" },
  { what: "HEIF image", mediaType: "image/heif", at: 4, bytes: "ftypmif1" },
  { what: "TIFF image", mediaType: "image/tiff", bytes: "II*\0" },
  { what: "TIFF image", mediaType: "image/tiff", bytes: "MM\0*" },
  { what: "icon", mediaType: "image/x-icon", bytes: "\0\0\x01\0?\0" },
  { what: "BMP image", mediaType: "image/bmp", bytes: "BM????\0\0\0\0" },
  { what: "PDF document", mediaType: "application/pdf", bytes: "%PDF-" },
  { what: "Linux program (ELF)", bytes: "\x7fELF" },
  { what: "Windows program", bytes: "MZ" },
  { what: "macOS program (Mach-O)", bytes: "\xcf\xfa\xed\xfe" },
  { what: "Java class or macOS universal program", bytes: "\xca\xfe\xba\xbe" },
  { what: "WebAssembly module", bytes: "\0asm" },
  { what: "ZIP archive (also docx, xlsx, jar)", bytes: "PK\x03\x04" },
  { what: "gzip data", bytes: "\x1f\x8b" },
  { what: "bzip2 data", bytes: "BZh" },
  { what: "xz data", bytes: "\xfd7zXZ\0" },
  { what: "Zstandard data", bytes: "\x28\xb5\x2f\xfd" },
  { what: "7-Zip archive", bytes: "7z\xbc\xaf\x27\x1c" },
  { what: "RAR archive", bytes: "Rar!\x1a\x07" },
  { what: "tar archive", at: 257, bytes: "ustar" },
  { what: "SQLite database", bytes: "SQLite format 3\0" },
  { what: "old Office document", bytes: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" },
  { what: "MP4 or QuickTime media", at: 4, bytes: "ftyp" },
  { what: "Matroska or WebM media", bytes: "\x1a\x45\xdf\xa3" },
  { what: "MP3 audio", bytes: "ID3" },
  { what: "Ogg media", bytes: "OggS" },
  { what: "FLAC audio", bytes: "fLaC" },
  { what: "WAV audio", bytes: "RIFF????WAVE" },
  { what: "AVI video", bytes: "RIFF????AVI " },
  { what: "WOFF font", bytes: "wOF" },
  { what: "TrueType font", bytes: "\0\x01\0\0" },
  { what: "Git index", bytes: "DIRC" },
  { what: "Git pack", bytes: "PACK" },
  { what: "Python byte code", at: 2, bytes: "\r\n" },
];

/** What a file is by its content. */
export interface FileKindByContent {
  readonly what: string;
  readonly mediaType?: string;
}

/** Tells a known binary format by its first bytes, whatever the file is called. */
export function kindByContent(bytes: Uint8Array): FileKindByContent | undefined {
  const head = view(bytes).subarray(0, 300).toString("latin1");
  const found = MAGIC.find(({ at = 0, bytes: pattern }) => matches(head, at, pattern));
  return found && { what: found.what, ...(found.mediaType ? { mediaType: found.mediaType } : {}) };
}

function matches(head: string, at: number, pattern: string): boolean {
  if (head.length < at + pattern.length) return false;
  for (let i = 0; i < pattern.length; i += 1) {
    if (pattern[i] !== "?" && head[at + i] !== pattern[i]) return false;
  }
  return true;
}

/** True for bytes that are no text in any encoding without zero bytes: a NUL, or many control characters. */
export function looksBinary(sample: Uint8Array): boolean {
  if (view(sample).indexOf(0) >= 0) return true;
  let controls = 0;
  for (const byte of sample) if (byte < 32 && !TEXT_CONTROLS.has(byte)) controls += 1;
  return controls > sample.length * 0.1;
}

/** Bell, backspace, tab, newline, vertical tab, form feed, return, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([7, 8, 9, 10, 11, 12, 13, 27]);
