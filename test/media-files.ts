import { zipArchive } from "./archives.ts";
import { jpeg, png } from "./pictures.ts";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

/** A compound file (MS-CFB) of one directory sector that names these streams. */
export function compoundFile(...names: readonly string[]): Buffer {
  const file = Buffer.alloc(512 * 3);
  latin1("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1").copy(file);
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(1, 48);
  file.writeUInt32LE(0, 76);
  // The table of sectors: itself, and the directory's only one.
  file.writeUInt32LE(0xfffffffd, 512);
  file.writeUInt32LE(0xfffffffe, 516);
  for (const [at, name] of ["Root Entry", ...names].entries()) {
    const entry = 1024 + at * 128;
    file.write(name, entry, "utf16le");
    file.writeUInt16LE((name.length + 1) * 2, entry + 64);
  }
  return file;
}

/** What Office makes, as far as it is looked at. */
export function officeFile(folder: string): Buffer {
  return Buffer.from(
    zipArchive([
      { name: "[Content_Types].xml", content: "<Types/>" },
      { name: `${folder}/document.xml`, content: "<w/>" },
    ]),
  );
}

/** MPEG 1, layer III, 128 kbit/s, 44.1 kHz: two frames. */
function mp3(): Buffer {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffb9000);
  return Buffer.concat([frame, frame]);
}

/** A whole file, or one that is whole as far as it is looked at, of each format that can be sent. */
export const MEDIA_SAMPLES: ReadonlyMap<string, Buffer> = new Map<string, Buffer>([
  ["png", png()],
  ["jpg", jpeg()],
  ["jpeg", jpeg()],
  ["gif", latin1("GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\0;")],
  ["bmp", latin1("BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0")],
  ["webp", latin1("RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0")],
  ["pdf", latin1("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n%%EOF\n")],
  ["doc", compoundFile("WordDocument", "1Table")],
  ["docx", officeFile("word")],
  ["xls", compoundFile("Workbook")],
  ["xlsx", officeFile("xl")],
  ["ppt", compoundFile("Current User", "PowerPoint Document")],
  ["pptx", officeFile("ppt")],
  ["txt", Buffer.from("Grüße, 世界\n")],
  ["zip", Buffer.from(zipArchive([{ name: "a.txt", content: "a" }]))],
  ["rar", latin1("Rar!\x1a\x07\x01\0rest")],
  ["7z", latin1("7z\xbc\xaf\x27\x1c\0\x04rest")],
  ["mp3", mp3()],
  ["mp4", latin1("\0\0\0\x18ftypisom\0\0\x02\0isomiso2")],
  ["avi", latin1("RIFF\x24\0\0\0AVI LIST")],
  ["mov", latin1("\0\0\0\x14ftypqt  \0\0\0\0qt  ")],
  ["json", Buffer.from('{"a": 1}\n')],
  ["xml", Buffer.from('<?xml version="1.0"?>\n<a/>\n')],
  ["csv", Buffer.from("a;b\n1;2\n")],
  ["md", Buffer.from("# A title\n")],
]);
