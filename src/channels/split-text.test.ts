import { describe, expect, it } from "vitest";
import { splitText } from "./split-text.ts";

describe("splitText", () => {
  it.each<[string, number, readonly string[]]>([
    ["short", 10, ["short"]],
    ["", 10, [""]],
    ["exactly ten", 11, ["exactly ten"]],
    ["one two three", 8, ["one two", "three"]],
    ["para one\n\npara two", 12, ["para one", "para two"]],
    ["a line\nand another", 12, ["a line", "and another"]],
    ["abcdefghij", 4, ["abcd", "efgh", "ij"]],
    ["a😀😀😀", 4, ["a😀", "😀😀"]],
    ["x ".repeat(10), 6, ["x x x", "x x x", "x x x", "x"]],
    ["\n\n\n\nabc", 3, ["abc"]],
  ])("%j at %d", (text, length, pieces) => {
    expect(splitText(text, length)).toEqual(pieces);
  });

  it("loses nothing but blanks, and keeps within the limit", () => {
    const text = Array.from({ length: 900 }, (_, at) => (at % 7 === 0 ? `word${at}\n` : `w😀rd${at}`)).join(
      " ",
    );
    for (const length of [10, 63, 4096]) {
      const pieces = splitText(text, length);
      expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(length);
      expect(pieces.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }
  });
});
