import { crc32, deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { png } from "../../test/pictures.ts";
import { cropped, type Pixels, shrunk, within } from "./pixels.ts";
import { decodePng } from "./png-decode.ts";
import { encodePng } from "./png-encode.ts";

/** A picture whose every pixel is another. */
function pattern(width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1)
    data.set([at % 251, (at * 7) % 253, (at * 13) % 241, 255], at * 4);
  return { width, height, data };
}

/** A PNG of one colour type with given rows, each begun with its filter. */
function made(
  head: { width: number; height: number; depth: number; type: number },
  rows: number[][],
  palette?: number[],
): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
  };
  const ihdr = Buffer.alloc(13);
  ihdr.writeUInt32BE(head.width, 0);
  ihdr.writeUInt32BE(head.height, 4);
  ihdr.set([head.depth, head.type], 8);
  return Buffer.concat([
    encodePng(pattern(1, 1)).subarray(0, 8),
    chunk("IHDR", ihdr),
    ...(palette === undefined ? [] : [chunk("PLTE", Buffer.from(palette))]),
    chunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const colours = (picture: Pixels | undefined): number[][] =>
  Array.from({ length: (picture?.data.length ?? 0) / 4 }, (_, at) => [
    ...(picture?.data.subarray(at * 4, at * 4 + 4) ?? []),
  ]);

describe("PNG", () => {
  it.each([
    [1, 1],
    [3, 2],
    [64, 17],
  ])("%i × %i comes back as it went", (width, height) => {
    const picture = pattern(width, height);
    expect(decodePng(encodePng(picture))).toEqual(picture);
  });

  it.each([
    [
      "grey",
      { depth: 8, type: 0 },
      [[0, 9, 200]],
      [
        [9, 9, 9, 255],
        [200, 200, 200, 255],
      ],
    ],
    [
      "grey of one bit",
      { depth: 1, type: 0 },
      [[0, 0b01000000]],
      [
        [0, 0, 0, 255],
        [255, 255, 255, 255],
      ],
    ],
    [
      "grey of sixteen bits",
      { depth: 16, type: 0 },
      [[0, 9, 1, 200, 2]],
      [
        [9, 9, 9, 255],
        [200, 200, 200, 255],
      ],
    ],
    [
      "grey with opacity",
      { depth: 8, type: 4 },
      [[0, 9, 10, 20, 30]],
      [
        [9, 9, 9, 10],
        [20, 20, 20, 30],
      ],
    ],
    [
      "colours",
      { depth: 8, type: 2 },
      [[0, 1, 2, 3, 4, 5, 6]],
      [
        [1, 2, 3, 255],
        [4, 5, 6, 255],
      ],
    ],
    [
      "colours with opacity",
      { depth: 8, type: 6 },
      [[0, 1, 2, 3, 4, 5, 6, 7, 8]],
      [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
      ],
    ],
    [
      "the left neighbour",
      { depth: 8, type: 2 },
      [[1, 1, 2, 3, 1, 1, 1]],
      [
        [1, 2, 3, 255],
        [2, 3, 4, 255],
      ],
    ],
    [
      "the mean",
      { depth: 8, type: 0 },
      [[3, 10, 10]],
      [
        [10, 10, 10, 255],
        [15, 15, 15, 255],
      ],
    ],
    [
      "Paeth's choice",
      { depth: 8, type: 0 },
      [[4, 10, 5]],
      [
        [10, 10, 10, 255],
        [15, 15, 15, 255],
      ],
    ],
  ])("%s", (_name, kind, rows, expected) => {
    expect(colours(decodePng(made({ width: 2, height: 1, ...kind }, rows)))).toEqual(expected);
  });

  it("by palette, four bits a pixel, with the row above", () => {
    const file = made(
      { width: 2, height: 2, depth: 4, type: 3 },
      [
        [0, 0x01],
        [2, 0x10],
      ],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    expect(colours(decodePng(file))).toEqual([
      [1, 2, 3, 255],
      [4, 5, 6, 255],
      [4, 5, 6, 255],
      [4, 5, 6, 255],
    ]);
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["no PNG", Buffer.from("GIF89a...................................")],
    ["half of one", encodePng(pattern(30, 30)).subarray(0, 80)],
    ["a bomb", made({ width: 60_000, height: 60_000, depth: 8, type: 2 }, [[0]])],
    ["fewer rows than said", made({ width: 2, height: 9, depth: 8, type: 0 }, [[0, 1, 2]])],
    [
      "more rows than said",
      made({ width: 2, height: 1, depth: 8, type: 0 }, [
        [0, 1, 2],
        [0, 1, 2],
      ]),
    ],
  ])("%s is no picture", (_name, bytes) => {
    expect(decodePng(bytes)).toBeUndefined();
  });

  it("reads what others wrote", () => {
    expect(decodePng(png(5, 4))).toMatchObject({ width: 5, height: 4 });
  });
});

describe("pixels", () => {
  it("are cut out", () => {
    const picture = pattern(5, 4);
    expect(colours(cropped(picture, { x: 1, y: 2, width: 2, height: 1 }))).toEqual(
      colours(picture).slice(11, 13),
    );
    expect(within({ x: 4, y: 3, width: 9, height: 9 }, picture)).toEqual({ x: 4, y: 3, width: 1, height: 1 });
    expect(within({ x: 5, y: 0, width: 1, height: 1 }, picture)).toBeUndefined();
  });

  it("are made fewer by their mean, and never more", () => {
    const data = Uint8Array.from([0, 0, 0, 255, 100, 100, 100, 255, 50, 50, 50, 255, 50, 50, 50, 255]);
    const picture = { width: 2, height: 2, data };
    expect(shrunk(picture, 0.5)).toEqual({ width: 1, height: 1, data: Uint8Array.from([50, 50, 50, 255]) });
    expect(shrunk(picture, 1)).toBe(picture);
    expect(shrunk(pattern(100, 3), 0.1)).toMatchObject({ width: 10, height: 1 });
  });
});
