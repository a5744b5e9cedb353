import { describe, expect, it } from "vitest";
import type { JsonObject } from "./json.ts";
import { parseInput } from "./json-input.ts";

const taken: readonly (readonly [string, string | JsonObject, JsonObject])[] = [
  ["strict JSON", '{"a":1,"b":[true,null]}', { a: 1, b: [true, null] }],
  ["an empty text as no arguments", "", {}],
  ["blanks as no arguments", " \n", {}],
  ["an object of the caller's", { a: { b: ["c"] } }, { a: { b: ["c"] } }],
  ["a missing end", '{"a": "whole", "b": [1', { a: "whole", b: [1] }],
  ["single quotes and bare names", "{a: 'x',}", { a: "x" }],
  ["a fence around it", '```json\n{"a": 1}\n```', { a: 1 }],
  ["Python's words", '{"a": True, "b": None}', { a: true, b: null }],
  ["JSON in a JSON text", '"{\\"a\\":1}"', { a: 1 }],
  ["the later of two equal keys, once for all", '{"a":1,"a":2}', { a: 2 }],
  [
    "names of what every object has",
    '{"constructor":1,"toString":2,"hasOwnProperty":3}',
    { constructor: 1, toString: 2, hasOwnProperty: 3 } as JsonObject,
  ],
];

const refused: readonly (readonly [string, unknown, RegExp])[] = [
  ["an array", "[1]", /a JSON object is expected, and array of 1 came/],
  ["a number", "3", /number 3 came/],
  ["a text", '"hello"', /string "hello" came/],
  ["null", "null", /null came/],
  ["prose", "please run ls", /isn't JSON/],
  ["a prototype for all", '{"a":{"__proto__":{"x":1}}}', /`a` has a key `__proto__`/],
  ["a prototype at the top", '{"__proto__":{"isAdmin":true}}', /it has a key `__proto__`/],
  [
    "a text that is cut off, which would be half a file",
    '{"a": "text that was cut of',
    /cut off in the middle of a text/,
  ],
  ["a cycle's depth", cycle(), /nested more than 100 levels/],
  ["a date", { a: new Date(0) }, /`a` is object, which JSON can't carry/],
  ["a function", { a: [() => 1] }, /`a\[0\]` is function/],
  ["not a number", { a: Number.NaN }, /`a` is number NaN/],
  ["a getter that throws", throwing(), /can't be read: boom/],
];

function cycle(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

function throwing(): object {
  return {
    get a(): string {
      throw new Error("boom");
    },
  };
}

describe("parseInput", () => {
  it.each(taken)("takes %s", async (_title, raw, value) => {
    const parsed = await parseInput(raw);
    expect(parsed).toEqual({ ok: true, value });
    if (parsed.ok) expect(Object.isFrozen(parsed.value)).toBe(true);
  });

  it.each(refused)("refuses %s", async (_title, raw, problem) => {
    // As a caller without types would.
    const parsed = await parseInput(raw as string);
    expect(parsed).toEqual({ ok: false, problem: expect.stringMatching(problem) });
  });

  it("can't be changed by whoever holds the original, or a part of the copy", async () => {
    const list = ["a"];
    const parsed = await parseInput({ list });
    list.push("b");
    expect(parsed).toEqual({ ok: true, value: { list: ["a"] } });
    if (!parsed.ok) return;
    expect(() => (parsed.value.list as string[]).push("c")).toThrow(TypeError);
  });

  const hostile: readonly (readonly [string, string])[] = [
    ["100 000 levels of arrays", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["100 000 open objects", '{"a":'.repeat(100_000)],
    ["quotes that cost a repair the square of their number", `{"a": "${'"b'.repeat(100_000)}`],
    ["words between quotes", `{"a":"${'x" y'.repeat(100_000)}`],
    ["open strings, line after line", '"a\n'.repeat(100_000)],
    ["5 MB of a text that was cut", `{"a": "${"x".repeat(5_000_000)}`],
  ];

  it.each(hostile)("is done soon with %s", async (_title, raw) => {
    const start = performance.now();
    const parsed = await parseInput(raw);
    expect(performance.now() - start).toBeLessThan(5000);
    expect(typeof parsed.ok).toBe("boolean");
  });

  it("leaves all other objects as they were", async () => {
    await parseInput('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect("polluted" in {}).toBe(false);
  });
});
