import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countByte } from "./count-byte.ts";
import { readLineWindow } from "./line-window.ts";

/** Cuts bytes into pieces of the given sizes, over and over. */
function pieces(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

/** The lines by splitting all of the text. */
function reference(content: string): readonly string[] {
  const all = content.split("\n");
  const last = all.pop() ?? "";
  const ended = all.map((line) => line.replace(/\r$/, ""));
  return last === "" ? ended : [...ended, last];
}

const text = fc
  .array(fc.constantFrom("a", "bc", "\n", "\r\n", "\r", "é", ""), { maxLength: 40 })
  .map((parts) => parts.join(""));

describe("a window of lines", () => {
  it("is what splitting the whole text gives, however the bytes come", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
    const offsets = fc.integer({ min: 1, max: 12 });
    const limits = fc.integer({ min: 1, max: 6 });
    await fc.assert(
      fc.asyncProperty(text, sizes, offsets, limits, async (content, cuts, offset, limit) => {
        const expected = reference(content);
        const options = { offset, limit, maxLineBytes: 1000, maxBytes: 1e6 };
        const window = await readLineWindow(pieces(Buffer.from(content), cuts), options);
        expect(window.lines.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
          expected.slice(offset - 1, offset - 1 + limit),
        );
        expect(window.more).toBe(expected.length > offset - 1 + limit);
        if (!window.more) expect(window.total).toBe(expected.length);
      }),
    );
  });

  it("keeps the start of a long line and counts the rest", async () => {
    const content = Buffer.from(`${"x".repeat(5000)}\r\nshort\n`);
    const options = { offset: 1, limit: 9, maxLineBytes: 100, maxBytes: 1e6 };
    const window = await readLineWindow(pieces(content, [700]), options);
    expect(window.lines.map(({ bytes, clipped, ending }) => [bytes.length, clipped, ending])).toEqual([
      [100, 4900, "\r\n"],
      [5, 0, "\n"],
    ]);
  });

  it("stops asking for more once it has the lines", async () => {
    let asked = 0;
    function* endless(): Generator<Uint8Array> {
      for (;;) {
        asked += 1;
        yield Buffer.from("line\n".repeat(100));
      }
    }
    const options = { offset: 150, limit: 3, maxLineBytes: 100, maxBytes: 1e6 };
    const window = await readLineWindow(endless(), options);
    expect([window.lines.length, window.more, asked]).toEqual([3, true, 2]);
  });
});

describe("counting a byte", () => {
  it.each([0, 1, 63, 64, 65, 300_000, 1_200_000, 2_500_003])(
    "in %i bytes agrees with looking at each",
    (length) => {
      const bytes = Buffer.alloc(length + 3, "0123456\nabc").subarray(3);
      let expected = 0;
      for (const byte of bytes) if (byte === 10) expected += 1;
      expect(countByte(bytes, 10)).toBe(expected);
    },
  );
});
