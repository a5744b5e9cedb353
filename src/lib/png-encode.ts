import { crc32, deflateSync } from "node:zlib";
import type { Pixels } from "./pixels.ts";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Three bytes a pixel. */
const RGB = 2;
/** Each byte less the one above it. */
const UP = 2;

/** A picture as a PNG file without transparency: what screens show has none. */
export function encodePng({ width, height, data }: Pixels): Buffer {
  const stride = width * 3;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y += 1) {
    let out = y * (stride + 1);
    rows[out++] = UP;
    for (let x = 0; x < width; x += 1) {
      const from = (y * width + x) * 4;
      for (let colour = 0; colour < 3; colour += 1) {
        const above = y === 0 ? 0 : (data[from - width * 4 + colour] ?? 0);
        rows[out++] = (data[from + colour] ?? 0) - above;
      }
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, RGB], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(named, 4);
  out.writeUInt32BE(crc32(named), named.length + 4);
  return out;
}
