import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { isToolgateError } from "../errors.ts";
import { codecFor, UTF8 } from "../lib/encoding.ts";
import { findMatches } from "./edit/find.ts";
import { fileBytes } from "./edit/match.ts";
import { replacementsFor, spliced, splicedWhole } from "./edit/splice.ts";
import { encodingOfFile } from "./file/text.ts";

/** What Edit does to bytes. */
async function edited(bytes: Uint8Array, old: string, fresh: string): Promise<Buffer> {
  const file = fileBytes(bytes, await codecFor(await encodingOfFile(bytes)));
  const found = findMatches(file, { path: "file", old, new: fresh, all: false });
  return splicedWhole(file.bytes, replacementsFor(file, found.matches, found, "file"));
}

const MARK = "<<the only place>>";
const lines = fc
  .array(fc.constantFrom("a", "\tb ", "é", "日本", "\n", "\r\n", "x = 1;", " "), { maxLength: 40 })
  .map((parts) => parts.join(""));

describe("an edit", () => {
  it("keeps every byte outside the match, whatever bytes there are", async () => {
    const noise = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(noise, noise, async (before, after) => {
        const [head, tail] = [Buffer.from(before), Buffer.from(after)];
        const bytes = Buffer.concat([head, Buffer.from(MARK), tail]);
        // A text that looks like UTF-16 holds no such mark, and one in two-byte characters may swallow its first byte.
        const result = await edited(bytes, MARK, "new").catch((error: unknown) => {
          if (isToolgateError(error, "no_match")) return undefined;
          throw error;
        });
        if (result === undefined) return;
        expect(result).toEqual(Buffer.concat([head, Buffer.from("new"), tail]));
      }),
      { numRuns: 300 },
    );
  });

  it.each(["utf-8", "windows-1252", "Shift_JIS", "GB18030", "utf-16le", "utf-16be"])(
    "of text in %s is an edit of that text",
    async (encoding) => {
      const start: Record<string, string> = {
        "windows-1252": "// café au lait, déjà vu\n",
        Shift_JIS: "// 日本語のコメントです\n",
        GB18030: "// 中文注释：初始化配置\n",
      };
      const addBOM = encoding.startsWith("utf-16");
      await fc.assert(
        fc.asyncProperty(lines, lines, async (head, tail) => {
          const allowed = (text: string): string =>
            encoding === "windows-1252" ? text.replace(/[日本]/g, "n") : text.replace(/é/g, "e");
          const text = `${start[encoding] ?? ""}${allowed(head)}${MARK}${allowed(tail)}`;
          const result = await edited(iconv.encode(text, encoding, { addBOM }), MARK, "new");
          expect(iconv.decode(result, encoding)).toBe(text.replace(MARK, "new"));
        }),
        { numRuns: 100 },
      );
    },
  );

  it("of several lines changes only the lines that differ", async () => {
    await fc.assert(
      fc.asyncProperty(
        lines,
        lines,
        fc.constantFrom("\n", "\r\n"),
        fc.constantFrom("\n", "\r\n"),
        async (head, tail, one, two) => {
          const before = `${head}\n[first]${one}[second]${two}[third]${tail}`;
          const result = await edited(
            Buffer.from(before),
            "[first]\n[second]\n[third]",
            "[first]\n[2]\n[third]",
          );
          expect(result.toString()).toBe(`${head}\n[first]${one}[2]${two}[third]${tail}`);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("never matches within a two-byte character, in one place or in all", async () => {
    // The second byte of 表 and ソ in Shift-JIS is a backslash, that of ― a backslash too.
    const parts = fc.array(fc.constantFrom("表", "ソ", "\\", "a", "\n", "日本の", "―"), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(parts, async (given) => {
        const text = `// 日本語のコメントです\\\n${given.join("")}`;
        const bytes = iconv.encode(text, "Shift_JIS");
        const file = fileBytes(bytes, await codecFor(await encodingOfFile(bytes)));
        const found = findMatches(file, { path: "file", old: "\\", new: "/", all: true });
        const result = splicedWhole(file.bytes, replacementsFor(file, found.matches, found, "file"));
        expect(iconv.decode(result, "Shift_JIS")).toBe(text.replaceAll("\\", "/"));
      }),
      { numRuns: 100 },
    );
  });

  it("is the same in pieces and as a whole", async () => {
    const part = Buffer.alloc(1_500_000, "abcdefg ");
    const file = fileBytes(
      Buffer.concat([part, Buffer.from("X"), part, Buffer.from("X")]),
      await codecFor(UTF8),
    );
    const found = findMatches(file, { path: "file", old: "X", new: "long new text", all: true });
    const replacements = replacementsFor(file, found.matches, found, "file");
    const pieces: Uint8Array[] = [];
    for await (const piece of spliced(file.bytes, replacements)) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(splicedWhole(file.bytes, replacements))).toBe(true);
    expect(found.matches.length).toBe(2);
  });
});
