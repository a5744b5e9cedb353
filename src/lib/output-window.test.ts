import { describe, expect, it } from "vitest";
import { ByteWindow, TextWindow, type WindowSize } from "./output-window.ts";

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

interface Row {
  readonly title: string;
  readonly size: WindowSize;
  readonly text: string;
  readonly head: string;
  readonly tail: string;
}

const rows: readonly Row[] = [
  { title: "nothing", size: { head: 5, tail: 5 }, text: "", head: "", tail: "" },
  { title: "a text that fits the head", size: { head: 5, tail: 5 }, text: "abcde", head: "abcde", tail: "" },
  {
    title: "a text that fits head and tail is whole",
    size: { head: 5, tail: 5 },
    text: "abcdefghij",
    head: "abcde",
    tail: "fghij",
  },
  { title: "one more is cut", size: { head: 5, tail: 5 }, text: "abcdefghijk", head: "abcde", tail: "ghijk" },
  {
    title: "lines stay whole",
    size: { head: 20, tail: 20 },
    text: lines(1, 9),
    head: "line 1\nline 2\n",
    tail: "line 8\nline 9\n",
  },
  {
    title: "no character is halved",
    size: { head: 3, tail: 3 },
    text: "ab😀cdef😀gh",
    head: "ab",
    tail: "gh",
  },
  { title: "only a head", size: { head: 4, tail: 0 }, text: "abcdefgh", head: "abcd", tail: "" },
  { title: "only a tail", size: { head: 0, tail: 4 }, text: "abcdefgh", head: "", tail: "efgh" },
];

describe.each([1, 3, 1000])("TextWindow in pieces of %i", (piece) => {
  it.each(rows)("keeps $title", ({ size, text, head, tail }) => {
    const window = new TextWindow(size);
    let shown = "";
    for (let at = 0; at < text.length; at += piece) shown += window.push(text.slice(at, at + piece));
    const view = window.view();
    // Where a piece ends may move the cut of the head by a line, never what it promises.
    if (piece >= text.length) expect({ head: view.head, tail: view.tail }).toEqual({ head, tail });
    expect(shown).toBe(view.head);
    expect(view.tail).toBe(text.slice(text.length - view.tail.length));
    expect(view.head.length + view.tail.length + view.omitted).toBe(text.length);
    expect(view.head.length).toBeLessThanOrEqual(size.head);
    if (view.omitted > 0) expect(view.tail.length).toBeLessThanOrEqual(size.tail);
    if (text.length <= size.head + size.tail) expect(view.head + view.tail).toBe(text);
  });
});

describe("ByteWindow", () => {
  it.each([
    { sizes: [3], head: "012", tail: "", omitted: 0 },
    { sizes: [4, 4], head: "0123", tail: "0123", omitted: 0 },
    { sizes: [9], head: "0123", tail: "5678", omitted: 1 },
    { sizes: [1, 1, 20], head: "0001", tail: "6789", omitted: 14 },
  ])("keeps both ends of pieces of $sizes", ({ sizes, head, tail, omitted }) => {
    const window = new ByteWindow({ head: 4, tail: 4 });
    const buffer = Buffer.alloc(32);
    for (const size of sizes) {
      buffer.write("01234567890123456789".slice(0, size));
      window.push(buffer.subarray(0, size));
    }
    const view = window.view();
    expect([Buffer.from(view.head).toString(), Buffer.from(view.tail).toString(), view.omitted]).toEqual([
      head,
      tail,
      omitted,
    ]);
  });

  it("holds little of much", () => {
    const window = new ByteWindow({ head: 10, tail: 10 });
    for (let at = 0; at < 10_000; at += 1) window.push(Buffer.alloc(100, at % 256));
    expect(window.view().omitted).toBe(999_980);
  });
});
