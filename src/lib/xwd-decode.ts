import { view } from "./encoding.ts";
import type { Pixels } from "./pixels.ts";

/** A picture as X11's xwd writes it, of the usual kind: three colours in 24 or 32 bits. `undefined` for others. */
export function decodeXwd(bytes: Uint8Array): Pixels | undefined {
  const file = view(bytes);
  try {
    const field = (index: number): number => file.readUInt32BE(index * 4);
    const [headSize, version, format] = [field(0), field(1), field(2)];
    const [width, height, littleEndian] = [field(4), field(5), field(7) === 0];
    const [bits, stride, colours] = [field(11), field(12), field(19)];
    const masks = [field(14), field(15), field(16)];
    const isUsual = version === 7 && format === 2 && (bits === 32 || bits === 24) && !masks.includes(0);
    if (!isUsual) return undefined;
    const start = headSize + colours * 12;
    if (start + stride * height > file.length) return undefined;
    const shifts = masks.map((mask) => Math.clz32(mask & -mask) ^ 31);
    const out = new Uint8Array(width * height * 4).fill(255);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const from = start + y * stride + x * (bits / 8);
        const pixel = littleEndian ? file.readUIntLE(from, bits / 8) : file.readUIntBE(from, bits / 8);
        for (const [colour, mask] of masks.entries()) {
          out[(y * width + x) * 4 + colour] = (pixel & mask) >>> (shifts[colour] ?? 0);
        }
      }
    }
    return { width, height, data: out };
  } catch {
    return undefined; // It ends too early.
  }
}
