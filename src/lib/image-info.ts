import { crc32 } from "node:zlib";
import { view } from "./encoding.ts";

/** What an image's structure says; `fault` when it isn't whole. */
export interface ImageInfo {
  readonly width?: number;
  readonly height?: number;
  /** In words, for the answer: a decoder would refuse this image. */
  readonly fault?: string;
}

const CHECKS: ReadonlyMap<string, (bytes: Buffer) => ImageInfo> = new Map([
  ["image/png", png],
  ["image/jpeg", jpeg],
  ["image/gif", gif],
  ["image/webp", webp],
  ["image/bmp", bmp],
]);

/** Reads an image's size and checks that its structure is whole, as far as that goes without decoding pixels. */
export function imageInfo(bytes: Uint8Array, mediaType: string): ImageInfo {
  const check = CHECKS.get(mediaType);
  if (check === undefined) return {};
  try {
    const info = check(view(bytes));
    if (info.fault === undefined && (info.width === 0 || info.height === 0)) {
      return { ...info, fault: "it has no pixels" };
    }
    return info;
  } catch (error) {
    if (error instanceof RangeError) return { fault: TRUNCATED };
    throw error;
  }
}

const TRUNCATED = "it ends too early";

function png(bytes: Buffer): ImageInfo {
  let size: { width: number; height: number } | undefined;
  let pixels = false;
  for (let at = 8; ; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const sum = bytes.readUInt32BE(at + 8 + length);
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== sum) {
      return { ...size, fault: `its ${printable(type)} part is damaged (checksum)` };
    }
    if (size === undefined) {
      if (type !== "IHDR") return { fault: "it doesn't begin with a header" };
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (type === "IDAT") pixels = true;
    if (type === "IEND") return pixels ? size : { ...size, fault: "it holds no pixel data" };
    at += 12 + length;
  }
}

function printable(type: string): string {
  return /^[A-Za-z]{4}$/.test(type) ? type : "unnamed";
}

/** Markers that stand alone, without a length. */
function isBareMarker(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function jpeg(bytes: Buffer): ImageInfo {
  let size: { width: number; height: number } | undefined;
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) return { ...size, fault: "its segments are damaged" };
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xd9) return { ...size, fault: "it holds no pixel data" };
    if (marker === 0xda) return jpegPixels(bytes, at, size);
    if (isFrameMarker(marker))
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += jpegStep(bytes, at, marker);
  }
}

function jpegStep(bytes: Buffer, at: number, marker: number): number {
  if (marker === 0xff) return 1;
  return isBareMarker(marker) ? 2 : 2 + bytes.readUInt16BE(at + 2);
}

function jpegPixels(bytes: Buffer, at: number, size: ImageInfo | undefined): ImageInfo {
  if (size === undefined) return { fault: "it has no frame header" };
  return bytes.lastIndexOf("\xff\xd9", undefined, "latin1") > at ? size : { ...size, fault: TRUNCATED };
}

function gif(bytes: Buffer): ImageInfo {
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return bytes.lastIndexOf(0x3b) > 12 ? size : { ...size, fault: TRUNCATED };
}

function webp(bytes: Buffer): ImageInfo {
  if (bytes.readUInt32LE(4) + 8 > bytes.length + 1) return { fault: TRUNCATED };
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return { fault: "its first part is of no known kind" };
  }
}

function bmp(bytes: Buffer): ImageInfo {
  const size = { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) };
  return bytes.readUInt32LE(2) > bytes.length ? { ...size, fault: TRUNCATED } : size;
}
