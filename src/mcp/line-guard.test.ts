import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { lineGuard } from "./line-guard.ts";

async function guarded(
  pieces: readonly string[],
  maxBytes = 100,
): Promise<{ passed: string; reported: number[] }> {
  const reported: number[] = [];
  const guard = lineGuard((code) => reported.push(code), maxBytes);
  for (const piece of pieces) guard.write(Buffer.from(piece));
  guard.end();
  return { passed: await text(guard), reported };
}

describe("lineGuard", () => {
  it.each<[string, string[], string, number[]]>([
    ["lines of JSON", ['{"a":1}\n{"b":2}\n'], '{"a":1}\n{"b":2}\n', []],
    ["a line in pieces", ['{"a"', ":1", "}\n"], '{"a":1}\n', []],
    ["a character in pieces", ['{"a":"\u{1f980}"}\n'], '{"a":"\u{1f980}"}\n', []],
    ["empty lines", ["\n \r\n{}\n\n"], "{}\n", []],
    ["a line that is no JSON", ["nonsense\n{}\n"], "{}\n", [-32700]],
    ["a line that is too long", [`"${"x".repeat(200)}"\n{}\n`], "{}\n", [-32600]],
    [
      "a line that is too long, in pieces",
      ['"', "x".repeat(90), "x".repeat(90), '"\n{}\n'],
      "{}\n",
      [-32600],
    ],
    ["a last line without an end", ['{}\n{"a":'], "{}\n", []],
  ])("%s", async (_name, pieces, passed, reported) => {
    expect(await guarded(pieces)).toEqual({ passed, reported });
  });
});
