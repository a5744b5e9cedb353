import { describe, expect, it } from "vitest";
import { LineShortener } from "./line-shortener.ts";

const rows: readonly (readonly [string, readonly string[], string])[] = [
  ["short lines", ["ab\ncd\n"], "ab\ncd\n"],
  ["a line of just the length", ["abcde\nx"], "abcde\nx"],
  ["a long line", ["abcdefgh\nx"], "abcde … [3 more characters]\nx"],
  ["a long line in pieces", ["abc", "def", "gh\nx", "y"], "abcde … [3 more characters]\nxy"],
  ["a long last line", ["x\nabcdef"], "x\nabcde … [1 more characters]"],
  [
    "long lines one after the other",
    ["abcdef\nabcdefg\n"],
    "abcde … [1 more characters]\nabcde … [2 more characters]\n",
  ],
  ["a character of two units at the cut", ["abcd😀fg\n"], "abcd … [3 more characters]\n"],
];

describe("LineShortener", () => {
  it.each(rows)("shows %s", (_title, pieces, shown) => {
    const lines = new LineShortener(5);
    expect(pieces.map((piece) => lines.push(piece)).join("") + lines.end()).toBe(shown);
    expect(lines.hasCut).toBe(shown.includes("more characters"));
  });
});
