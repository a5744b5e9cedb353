import { describe, expect, it } from "vitest";
import { zipArchive } from "../../../test/archives.ts";
import { compoundFile, MEDIA_SAMPLES, officeFile } from "../../../test/media-files.ts";
import { isToolgateError } from "../../errors.ts";
import { checkMedia, MAX_MEDIA_BYTES } from "./check.ts";
import { MEDIA_FORMATS } from "./formats.ts";
import { plainName } from "./plain-name.ts";

async function verdict(name: string, bytes: Uint8Array | string): Promise<string> {
  try {
    const file = await checkMedia(name, typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    return `${file.kind} ${file.mediaType}`;
  } catch (error) {
    if (isToolgateError(error)) return error.code;
    throw error;
  }
}

const sample = (format: string): Buffer => MEDIA_SAMPLES.get(format) ?? Buffer.alloc(0);

describe("the formats that can be sent", () => {
  it("are the 25 of the seed", () => {
    expect([...MEDIA_FORMATS.keys()]).toEqual([...MEDIA_SAMPLES.keys()]);
    expect(MEDIA_FORMATS.size).toBe(25);
  });

  it.each([...MEDIA_SAMPLES.keys()])("%s passes, in capitals too, and as nothing else", async (format) => {
    const known = MEDIA_FORMATS.get(format);
    const expected = `${known?.kind} ${known?.mediaType}`;
    expect(await verdict(`a.${format}`, sample(format))).toBe(expected);
    expect(await verdict(`A.B.${format.toUpperCase()}`, sample(format))).toBe(expected);
    const texts = ["txt", "csv", "md"];
    for (const other of MEDIA_SAMPLES.keys()) {
      const isText = texts.includes(other) && [...texts, "json", "xml"].includes(format);
      const isArchive = other === "zip" && ["docx", "xlsx", "pptx"].includes(format);
      const isSame = MEDIA_FORMATS.get(other)?.mediaType === known?.mediaType;
      if (isText || isArchive || isSame) continue;
      expect(`${other}: ${await verdict(`a.${other}`, sample(format))}`).toBe(`${other}: invalid_input`);
    }
  });

  it.each<[string, Uint8Array | string, string]>([
    ["a.exe", "MZ\x90\0", "unsupported"],
    ["a", "text", "unsupported"],
    [".png", sample("png"), "unsupported"],
    ["a.png.", sample("png"), "image image/png"],
    ["a.png.exe", sample("png"), "unsupported"],
    ["a.svg", "<svg/>", "unsupported"],
    ["a.html", "<p>", "unsupported"],
    ["a.png", "", "invalid_input"],
    ["a.png", "MZ\x90\0", "invalid_input"],
    ["a.jpg", sample("png"), "invalid_input"],
    ["a.pdf", "<html>%PDF-", "invalid_input"],
    ["a.pdf", "\xef\xbb\xbf%PDF-1.4", "document application/pdf"],
    ["a.txt", "caf\xe9", "invalid_input"],
    ["a.txt", "\xff\xfea\0", "invalid_input"],
    ["a.txt", "a\0b", "invalid_input"],
    ["a.csv", "\x7fELF\x02\x01\x01\0\0\0\0", "invalid_input"],
    ["a.json", "hello", "invalid_input"],
    ["a.json", "\xef\xbb\xbf [1]", "data application/json"],
    ["a.xml", "hello", "invalid_input"],
    ["a.docx", officeFile("xl"), "invalid_input"],
    ["a.docx", zipArchive([{ name: "word/document.xml" }]), "invalid_input"],
    [
      "a.docx",
      compoundFile("EncryptedPackage"),
      "document application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
    ["a.doc", officeFile("word"), "invalid_input"],
    ["a.doc", compoundFile("Workbook"), "invalid_input"],
    ["a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "invalid_input"],
    ["a.xls", compoundFile("Book"), "document application/vnd.ms-excel"],
    ["a.zip", "PK\x03\x04 and nothing more", "invalid_input"],
    ["a.zip", zipArchive([]), "archive application/zip"],
    ["a.mp3", "ID3\x04\0\0\0\0\0\0", "audio audio/mpeg"],
    ["a.mp3", "\xff\xfb\x90\0 and no second frame".padEnd(600, "x"), "invalid_input"],
    ["a.mp3", "\xff\xfea\0b\0", "invalid_input"],
    ["a.mp4", "\0\0\0\x18ftypheic\0\0\0\0", "invalid_input"],
    ["a.mov", "\0\0\0\x08wide\0\0\0\x08mdat", "video video/quicktime"],
    ["a.rar", "Rar!\x1a\x07\x02\0", "invalid_input"],
  ])("%s of %j is %s", async (name, bytes, expected) => {
    expect(await verdict(name, bytes)).toBe(expected);
  });

  it("have 20 MiB at most, and exactly so many pass", async () => {
    const bytes = Buffer.alloc(MAX_MEDIA_BYTES + 1, "a");
    expect(await verdict("a.txt", bytes.subarray(1))).toBe("document text/plain");
    expect(await verdict("a.txt", bytes)).toBe("too_large");
  });
});

describe("plainName", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\boot.ini", "boot.ini"],
    ["..", "file"],
    ["", "file"],
    [".bashrc", "bashrc"],
    ["a\u202Egnp.exe", "a_gnp.exe"],
    ["a\nb\0.txt", "a_b_.txt"],
    ['a:b*?"<>|.txt', "a_b______.txt"],
    ["报告 2026.docx", "报告 2026.docx"],
    [`${"x".repeat(300)}.pdf`, `${"x".repeat(96)}.pdf`],
    [`${"😀".repeat(300)}.pdf`, `${"😀".repeat(96)}.pdf`],
    ["a. ", "a"],
  ])("of %j is %j", (name, plain) => {
    expect(plainName(name)).toBe(plain);
  });
});
