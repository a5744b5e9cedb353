import { isUtf8 } from "node:buffer";
import { looksBinary } from "../../lib/file-kind.ts";
import type { MaybePromise } from "../../lib/json.ts";
import { COMPOUND_MAGIC, compoundNames } from "./compound.ts";
import { isMp3 } from "./mp3.ts";
import { zipNames } from "./zip-names.ts";

type Check = (bytes: Buffer) => MaybePromise<boolean>;

/** Brands of ISO media files that are pictures, and QuickTime's own. */
const NOT_MP4 = /^(?:qt {2}|avi[fs]|hei[cxms]|hev[cxms]|mif1|msf1|crx )/;
const OLD_MOVIE_ATOMS: ReadonlySet<string> = new Set(["moov", "mdat", "wide", "free", "skip", "pnot"]);
/** How far a text is looked at for control characters; all of it has to be UTF-8. */
const SAMPLE_BYTES = 64 * 1024;

/** Whether bytes are what a format's name says, by format. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["png", begins("\x89PNG\r\n\x1a\n")],
  ["jpg", begins("\xff\xd8\xff")],
  ["jpeg", begins("\xff\xd8\xff")],
  ["gif", (bytes) => /^GIF8[79]a/.test(text(bytes, 0, 6))],
  ["bmp", (bytes) => text(bytes, 0, 2) === "BM" && text(bytes, 6, 10) === "\0\0\0\0"],
  ["webp", riff("WEBP")],
  ["pdf", (bytes) => /^(?:\xef\xbb\xbf)?[\r\n ]*%PDF-/.test(text(bytes, 0, 64))],
  ["doc", compound("WordDocument")],
  ["xls", compound("Workbook", "Book")],
  ["ppt", compound("PowerPoint Document")],
  ["docx", office("word/")],
  ["xlsx", office("xl/")],
  ["pptx", office("ppt/")],
  ["zip", async (bytes) => /^PK(?:\x03\x04|\x05\x06)/.test(text(bytes, 0, 4)) && !!(await zipNames(bytes))],
  ["rar", (bytes) => /^Rar!\x1a\x07(?:\x00|\x01\x00)/.test(text(bytes, 0, 8))],
  ["7z", begins("7z\xbc\xaf\x27\x1c")],
  ["mp3", isMp3],
  ["mp4", (bytes) => text(bytes, 4, 8) === "ftyp" && !NOT_MP4.test(text(bytes, 8, 12))],
  ["mov", (bytes) => text(bytes, 4, 12) === "ftypqt  " || OLD_MOVIE_ATOMS.has(text(bytes, 4, 8))],
  ["avi", riff("AVI ")],
  ["txt", isText],
  ["md", isText],
  ["csv", isText],
  ["json", (bytes) => isText(bytes) && /^(?:\xef\xbb\xbf)?\s*[[{"\-\dtfn/]/.test(text(bytes, 0, 4096))],
  ["xml", (bytes) => isText(bytes) && /^(?:\xef\xbb\xbf)?\s*</.test(text(bytes, 0, 4096))],
]);

/** Whether bytes are of a format; `undefined` for a format that isn't known. */
export function isOfFormat(bytes: Buffer, format: string): MaybePromise<boolean> | undefined {
  return CHECKS.get(format)?.(bytes);
}

function text(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("latin1", start, end);
}

function begins(magic: string): Check {
  return (bytes) => text(bytes, 0, magic.length) === magic;
}

function riff(form: string): Check {
  return (bytes) => text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === form;
}

function compound(...names: readonly string[]): Check {
  return (bytes) => {
    if (!begins(COMPOUND_MAGIC)(bytes)) return false;
    const found = compoundNames(bytes);
    return names.some((name) => found.has(name));
  };
}

/** A zip of the parts that Office makes, or an encrypted one, which is kept in a compound file. */
function office(folder: string): Check {
  const isEncrypted = compound("EncryptedPackage");
  return async (bytes) => {
    if (await isEncrypted(bytes)) return true;
    if (!begins("PK\x03\x04")(bytes)) return false;
    const names = (await zipNames(bytes)) ?? [];
    return names.includes("[Content_Types].xml") && names.some((name) => name.startsWith(folder));
  };
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !looksBinary(bytes.subarray(0, SAMPLE_BYTES));
}
