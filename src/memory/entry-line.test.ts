import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dayOf, readLine, sourceName, writeLine } from "./entry-line.ts";

type Fits = (text: string) => boolean;
const everything: Fits = () => true;
const ascii: Fits = (text) => /^[\0-\x7f]*$/.test(text);
const line = (content: string, fits: Fits = everything): string =>
  writeLine({ date: "2026-07-06", source: "web", content }, fits);

describe("an entry as a line", () => {
  it.each([
    ["plain", "likes tea", "likes tea"],
    ["items", "likes tea；lives in Bern", "likes tea；lives in Bern"],
    ["separators", "a|b|c", "a|b|c"],
    ["a backslash", "C:\\new", "C:\\new"],
    ["line breaks", "a\nb\r\nc", "\\|a\\nb\\r\\nc"],
    ["a backslash beside a line break", "C:\\new\n", "\\|C:\\\\new\\n"],
    ["leading blanks", "  a", "\\|  a"],
    ["trailing blanks", "a  ", "\\|a \\u{20}"],
    ["what looks escaped", "\\|a", "\\|\\\\|a"],
    ["other line ends", "a\u2028b\u0085c\u000bd", "\\|a\\u{2028}b\\u{85}c\\u{b}d"],
    ["zero", "a\0b", "\\|a\\u{0}b"],
    ["half a pair", "a\ud83d", "\\|a\\u{d83d}"],
    ["a byte order mark", "\ufeffa", "\\|\\u{feff}a"],
    ["a tab inside", "a\tb", "a\tb"],
  ])("%s", (_what, content, written) => {
    expect(line(content)).toBe(`2026-07-06|web|${written}`);
    expect(readLine(line(content))).toEqual({ date: "2026-07-06", source: "web", content });
  });

  it("escapes what the file's encoding hasn't", () => {
    expect(line("tea 茶 😀", ascii)).toBe("2026-07-06|web|\\|tea \\u{8336} \\u{1f600}");
    expect(readLine(line("tea 茶 😀", ascii))?.content).toBe("tea 茶 😀");
  });

  it("gives every content back, on one line", () => {
    const bits = fc.constantFrom(
      "\\",
      "|",
      "\n",
      "\r",
      "；",
      " ",
      "\t",
      "u{20}",
      "\\|",
      "\ud800",
      "茶",
      "a",
      "\u2029",
    );
    const contents = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(bits).map((some) => some.join("")),
    );
    fc.assert(
      fc.property(contents, fc.boolean(), (content, isAscii) => {
        const written = line(content, isAscii ? ascii : (text: string) => text.isWellFormed());
        expect(written).not.toMatch(/[\n\r\u2028\u2029\u0085]/);
        expect(written).toBe(written.trimEnd() === "2026-07-06|web|" ? written : written.trimEnd());
        expect(readLine(written)?.content).toBe(content);
      }),
      { numRuns: 500 },
    );
  });
});

describe("lines of others", () => {
  it.each([
    ["old entries with backslashes", "2025-01-02|web-chat|see C:\\new\\table", "see C:\\new\\table"],
    ["old entries with separators", "2025-01-02|qq|a|b", "a|b"],
    ["old entries with blanks at an end", "2025-01-02|qq| a ", " a "],
    ["an escape that isn't one", "2025-01-02|qq|\\|a\\qb", "\\|a\\qb"],
    ["a mark with a backslash at the end", "2025-01-02|qq|\\|a\\", "\\|a\\"],
    ["no such character", "2025-01-02|qq|\\|a\\u{110000}", "\\|a\\u{110000}"],
    ["an empty content", "2025-01-02|qq|", ""],
  ])("%s are read as they are", (_what, text, content) => {
    expect(readLine(text)).toMatchObject({ date: "2025-01-02", content });
  });

  it.each([["# Memory"], ["- likes tea"], ["2025-1-2|qq|a"], ["2025-01-02 | qq | a"], [" 2025-01-02|qq|a"]])(
    "%j is a person's",
    (text) => expect(readLine(text)).toEqual({ content: text }),
  );

  it.each([[""], ["  "], ["\t"], ["\u3000"]])("%j is blank", (text) =>
    expect(readLine(text)).toBeUndefined(),
  );
});

describe("a source's name", () => {
  it.each([
    ["telegram", "telegram"],
    ["a|b\nc", "a_b c"],
    ["  web \t chat ", "web chat"],
    ["\u202egniht", "_gniht"],
    ["", "unknown"],
    ["|\ud800", "__"],
    ["微信", "微信"],
    ["x".repeat(100), "x".repeat(64)],
  ])("%j is %j", (given, name) => expect(sourceName(given)).toBe(name));

  it("has only what the file's encoding has", () => expect(sourceName("微 chat", ascii)).toBe("_ chat"));
});

it("a day is this machine's", () => {
  expect(dayOf(new Date(2026, 0, 5, 23, 59))).toBe("2026-01-05");
});
