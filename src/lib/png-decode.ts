import { inflateSync } from "node:zlib";
import { view } from "./encoding.ts";
import type { Pixels } from "./pixels.ts";

/** Colour types of PNG by the samples that a pixel has. */
const SAMPLES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

/** More pixels aren't unpacked: they would take a gigabyte. */
const MOST_PIXELS = 128 * 1024 * 1024;

interface Head {
  readonly width: number;
  readonly height: number;
  /** Bits of a sample. */
  readonly depth: number;
  readonly type: number;
}

/** A PNG file's pixels. `undefined` for what isn't one, is damaged, interlaced or too large. */
export function decodePng(bytes: Uint8Array): Pixels | undefined {
  const file = view(bytes);
  try {
    const head = headOf(file);
    if (head === undefined) return undefined;
    const { data, palette } = partsOf(file);
    const bits = (SAMPLES.get(head.type) ?? 0) * head.depth;
    const stride = Math.ceil((head.width * bits) / 8);
    const size = (stride + 1) * head.height;
    const rows = inflateSync(data, { maxOutputLength: size });
    if (rows.length !== size) return undefined;
    unfilter(rows, stride, head.height, Math.max(1, bits >> 3));
    return paint(rows, stride, head, palette);
  } catch {
    return undefined; // It ends too early, or its data can't be unpacked.
  }
}

function headOf(file: Buffer): Head | undefined {
  if (file.readUInt32BE(0) !== 0x89504e47 || file.toString("latin1", 12, 16) !== "IHDR") return undefined;
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const [depth, type, interlaced] = [file.readUInt8(24), file.readUInt8(25), file.readUInt8(28)];
  const isPossible = width > 0 && height > 0 && width * height <= MOST_PIXELS && SAMPLES.has(type);
  return isPossible && interlaced === 0 ? { width, height, depth, type } : undefined;
}

function partsOf(file: Buffer): { readonly data: Buffer; readonly palette: Buffer } {
  const data: Buffer[] = [];
  let palette = Buffer.alloc(0);
  for (let at = 8; at + 8 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    const content = file.subarray(at + 8, at + 8 + length);
    if (type === "IDAT") data.push(content);
    if (type === "PLTE") palette = Buffer.from(content);
    if (type === "IEND") break;
    at += length + 12;
  }
  return { data: Buffer.concat(data), palette };
}

/** Undoes what each row was written as the difference from; in place. */
function unfilter(rows: Buffer, stride: number, height: number, step: number): void {
  const none = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1) + 1;
    const row = rows.subarray(start, start + stride);
    const above = y === 0 ? none : rows.subarray(start - stride - 1, start - 1);
    unfilterRow(rows[start - 1] ?? 0, row, above, step);
  }
}

function unfilterRow(filter: number, row: Buffer, above: Buffer, step: number): void {
  if (filter === 0) return;
  for (let x = 0; x < row.length; x += 1) {
    const left = row[x - step] ?? 0;
    const corner = above[x - step] ?? 0;
    row[x] = (row[x] ?? 0) + predicted(filter, left, above[x] ?? 0, corner);
  }
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

function paint(rows: Buffer, stride: number, head: Head, palette: Buffer): Pixels {
  const { width, height, depth, type } = head;
  const data = new Uint8Array(width * height * 4).fill(255);
  const samples = SAMPLES.get(type) ?? 1;
  for (let y = 0; y < height; y += 1) {
    const row = rows.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1));
    const out = data.subarray(y * width * 4, (y + 1) * width * 4);
    if (type === 3) paintByPalette(row, out, depth, palette);
    else if (samples < 3) paintGrey(row, out, depth, samples);
    else paintColours(row, out, depth / 8, samples);
  }
  return { width, height, data };
}

/** Red, green, blue and perhaps opacity; of two bytes a sample the first counts. */
function paintColours(row: Buffer, out: Uint8Array, size: number, samples: number): void {
  for (let from = 0, at = 0; at < out.length; at += 4) {
    for (let sample = 0; sample < samples; sample += 1, from += size) out[at + sample] = row[from] ?? 0;
  }
}

function paintGrey(row: Buffer, out: Uint8Array, depth: number, samples: number): void {
  const most = 2 ** Math.min(depth, 8) - 1;
  for (let x = 0; x * 4 < out.length; x += 1) {
    out.fill((sampleOf(row, x * samples, depth) * 255) / most, x * 4, x * 4 + 3);
    if (samples === 2) out[x * 4 + 3] = sampleOf(row, x * 2 + 1, depth);
  }
}

function paintByPalette(row: Buffer, out: Uint8Array, depth: number, palette: Buffer): void {
  for (let x = 0; x * 4 < out.length; x += 1) {
    const colour = sampleOf(row, x, depth) * 3;
    out.set(palette.subarray(colour, colour + 3), x * 4);
  }
}

function sampleOf(row: Buffer, index: number, depth: number): number {
  if (depth >= 8) return row[(index * depth) / 8] ?? 0;
  const bit = index * depth;
  return ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
}
