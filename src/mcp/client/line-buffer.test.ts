import { describe, expect, it } from "vitest";
import { LineBuffer } from "./line-buffer.ts";

function messages(pieces: readonly (string | Buffer)[], maxBytes = 1000): unknown[] {
  const buffer = new LineBuffer((line) => JSON.parse(line), maxBytes);
  const found: unknown[] = [];
  for (const piece of pieces) {
    buffer.append(Buffer.from(piece));
    for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
      found.push(message);
  }
  return found;
}

const crab = Buffer.from('"\u{1f980}"\n');

describe("LineBuffer", () => {
  it.each<[string, (string | Buffer)[], unknown[]]>([
    ["messages in one piece", ["1\n2\n3\n"], [1, 2, 3]],
    ["a message in pieces", ['{"a"', ":1", "}\n"], [{ a: 1 }]],
    ["a line's end in another piece", ["1", "\n2", "\r\n"], [1, 2]],
    ["a character in pieces", [crab.subarray(0, 3), crab.subarray(3)], ["\u{1f980}"]],
    ["lines that are no messages", ["Starting…\n\n1\n"], [1]],
    ["no end", ["1"], []],
  ])("reads %s", (_name, pieces, found) => {
    expect(messages(pieces)).toEqual(found);
  });

  it("gives up a line that grows beyond all bounds", () => {
    expect(() => messages(["x".repeat(600), "x".repeat(600)])).toThrow("larger than 1000 bytes");
  });

  it("takes a time that grows with the length and no faster", () => {
    const time = (count: number): number => {
      const pieces = Array<Buffer>(count).fill(Buffer.alloc(8192, 32));
      const before = performance.now();
      messages([...pieces, "1\n"], Number.POSITIVE_INFINITY);
      return performance.now() - before;
    };
    time(100);
    // Quadratic it would be 64 times as much; a busy machine may stretch it somewhat.
    expect(time(4000)).toBeLessThan(Math.max(20, time(500)) * 40);
  });
});
