import { expect, it } from "vitest";
import { mp4DurationMs } from "./mp4-duration.ts";

const box = (kind: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(kind, 4, "latin1");
  return Buffer.concat([head, content]);
};

function header(scale: number, duration: number, version = 0): Buffer {
  const content = Buffer.alloc(100);
  content[0] = version;
  content.writeUInt32BE(scale, version === 1 ? 20 : 12);
  if (version === 1) content.writeBigUInt64BE(BigInt(duration), 24);
  else content.writeUInt32BE(duration, 16);
  return box("moov", box("mvhd", content));
}

const FIRST = box("ftyp", Buffer.from("isom0000"));
const LONG = Buffer.concat([FIRST, header(1000, 5000)]);

it.each([
  ["a plain one", Buffer.concat([FIRST, header(600, 1500)]), 2500],
  ["one that counts wide", Buffer.concat([FIRST, header(90_000, 900_000, 1)]), 10_000],
  [
    "one whose header comes last",
    Buffer.concat([FIRST, box("mdat", Buffer.alloc(1000)), header(1, 3)]),
    3000,
  ],
  ["one without a header", FIRST, undefined],
  ["one that says nothing", Buffer.concat([FIRST, header(0, 5)]), undefined],
  ["one cut short", LONG.subarray(0, 50), undefined],
  ["nothing", Buffer.alloc(0), undefined],
  ["no video", Buffer.from("this is no video, and has boxes of no size"), undefined],
])("the duration of %s", (_what, bytes, expected) => {
  expect(mp4DurationMs(bytes)).toBe(expected);
});
