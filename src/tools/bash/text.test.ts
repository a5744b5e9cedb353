import { describe, expect, it } from "vitest";
import { looksBinary, sizeText, TerminalText, terminalText } from "./text.ts";

const rows: readonly (readonly [title: string, raw: string, shown: string])[] = [
  ["plain text is left alone", "a\tb\nc\n", "a\tb\nc\n"],
  ["colours are taken out", "\x1b[31mred\x1b[0m \x1b[1;4mbold\x1b[m", "red bold"],
  [
    "a title and a link are taken out",
    "\x1b]0;title\x07x \x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\",
    "x link",
  ],
  ["CRLF becomes LF", "a\r\nb\r\n", "a\nb\n"],
  ["a progress bar leaves its last state", "10%\r50%\r100%\ndone", "100%\ndone"],
  ["a shorter line written over a longer one leaves its end", "loading\rok", "okading"],
  ["an erased line leaves nothing", "loading\r\x1b[Kok", "ok"],
  ["backspaces take characters back", "ab\b\bcd", "cd"],
  ["a NUL and other control characters become visible", "a\0b\x01c\x7f", "a␀b␁c␡"],
  ["malformed UTF-8 can't break it", "caf\u00e9", "café"],
];

describe("terminalText", () => {
  it.each(rows)("%s", (_title, raw, shown) => {
    expect(terminalText(Buffer.from(raw))).toBe(shown);
  });

  it("puts a character together that was split between two pieces", () => {
    const bytes = Buffer.from("aé漢😀\nend");
    for (let cut = 1; cut < bytes.length; cut++) {
      const terminal = new TerminalText();
      const text =
        terminal.push(bytes.subarray(0, cut)) + terminal.push(bytes.subarray(cut)) + terminal.end();
      expect(text).toBe("aé漢😀\nend");
    }
  });

  it("shows malformed bytes as replacement characters", () => {
    expect(terminalText(Buffer.from([0x61, 0xff, 0x62]))).toBe("a\ufffdb");
  });
});

describe("looksBinary", () => {
  it.each([
    ["text", Buffer.from("hello\nworld\n"), false],
    ["nothing", Buffer.alloc(0), false],
    ["names separated by NUL", Buffer.from("../a\0./b\0./c\0"), false],
    ["coloured text", Buffer.from("\x1b[31mred\x1b[0m\n".repeat(50)), false],
    ["Latin-1 text", Buffer.from("Stra\xdfe gr\xfc\xdft M\xfcnchen\n".repeat(9), "latin1"), false],
    ["very short names separated by NUL", Buffer.from("a\0b\0c\0"), false],
    ["zeros", Buffer.alloc(100), true],
    [
      "an image",
      Buffer.from("89504e470d0a1a0a0000000d49484452000000100000001008060000001ff3ff61", "hex"),
      true,
    ],
  ])("%s", (_title, bytes, expected) => {
    expect(looksBinary(bytes)).toBe(expected);
  });
});

describe("sizeText", () => {
  it.each([
    [1, "1 byte"],
    [999, "999 bytes"],
    [1234, "1.2 kB"],
    [123_456_789, "123 MB"],
    [5e12, "5.0 TB"],
  ])("%d", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });
});
