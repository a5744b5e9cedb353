import { describe, expect, it } from "vitest";
import { bmp, gif, jpeg, png, webp } from "../../test/pictures.ts";
import { kindByContent, looksBinary } from "./file-kind.ts";
import { imageInfo } from "./image-info.ts";

function damaged(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

const EARLY = "it ends too early";

const rows: readonly [title: string, bytes: Buffer, mediaType: string, info: unknown][] = [
  ["a PNG", png(3, 2), "image/png", { width: 3, height: 2 }],
  ["a JPEG", jpeg(), "image/jpeg", { width: 5, height: 4 }],
  ["a GIF", gif(), "image/gif", { width: 1, height: 1 }],
  ["a WebP", webp(), "image/webp", { width: 1, height: 1 }],
  ["a BMP", bmp(), "image/bmp", { width: 2, height: 1 }],
  ["a PNG cut short", png().subarray(0, -6), "image/png", { fault: EARLY }],
  [
    "a PNG with a damaged part",
    damaged(png(), 45),
    "image/png",
    { width: 3, height: 2, fault: "its IDAT part is damaged (checksum)" },
  ],
  ["a PNG without pixels", png(0, 2), "image/png", { width: 0, height: 2, fault: "it has no pixels" }],
  ["only a PNG's signature", png().subarray(0, 8), "image/png", { fault: EARLY }],
  ["a JPEG cut short", jpeg().subarray(0, -2), "image/jpeg", { width: 5, height: 4, fault: EARLY }],
  ["a JPEG with damaged segments", damaged(jpeg(), 20), "image/jpeg", { fault: "its segments are damaged" }],
  ["a GIF cut short", gif().subarray(0, 12), "image/gif", { width: 1, height: 1, fault: EARLY }],
  ["a WebP cut short", webp().subarray(0, 30), "image/webp", { fault: EARLY }],
  ["a BMP cut short", bmp().subarray(0, 40), "image/bmp", { width: 2, height: 1, fault: EARLY }],
];

describe("an image's structure", () => {
  it.each(rows)("%s", (_title, bytes, mediaType, info) => {
    expect(kindByContent(bytes)?.mediaType).toBe(mediaType);
    expect(imageInfo(bytes, mediaType)).toEqual(info);
  });
});

describe("what a file is by its content", () => {
  it.each([
    ["\x7fELF\x02\x01", "Linux program (ELF)"],
    ["PK\x03\x04rest", "ZIP archive (also docx, xlsx, jar)"],
    ["SQLite format 3\0", "SQLite database"],
    ["\0\0\0\x20ftypavif", "AVIF image"],
    ["\0\0\0\x20ftypheic", "HEIC image"],
    ["\0\0\0\x20ftypisom", "MP4 or QuickTime media"],
    ["RIFF1234WAVEfmt ", "WAV audio"],
    ["just text", undefined],
  ])("%j is %s", (head, what) => {
    expect(kindByContent(Buffer.from(head, "latin1"))?.what).toBe(what);
  });

  it.each([
    ["plain text\n", false],
    ["coloured \x1b[31mred\x1b[0m\n", false],
    ["page\fbreak\ttab\r\n", false],
    ["caf\xe9", false],
    ["a\0b", true],
    ["\x01\x02\x03\x04abcdefgh", true],
  ])("%j is binary: %s", (text, binary) => {
    expect(looksBinary(Buffer.from(text, "latin1"))).toBe(binary);
  });
});
