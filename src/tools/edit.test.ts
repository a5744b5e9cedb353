import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { type FileWorld, type Outcome, WORLDS } from "../../test/file-world.ts";
import { Edit } from "./edit.ts";
import { Read } from "./read.ts";

/** Writes a file, reads it and edits it. */
async function edit(
  world: FileWorld,
  content: string | Uint8Array,
  old: string,
  fresh: string,
  all?: boolean,
): Promise<Outcome> {
  await world.put("a.txt", content);
  await world.run(new Read(), { file_path: "a.txt" });
  const input = { file_path: "a.txt", old_string: old, new_string: fresh };
  return world.run(new Edit(), all === undefined ? input : { ...input, replace_all: all });
}

type Row = readonly [
  title: string,
  content: string,
  old: string,
  fresh: string,
  after: string,
  said?: string,
];

const AT_1 = "Replaced 1 occurrence in ROOT/a.txt, at line 1.";

const rows: readonly Row[] = [
  ["replaces one text", "a b c\n", "b", "x", "a x c\n", AT_1],
  ["deletes", "one\ntwo\nthree\n", "two\n", "", "one\nthree\n"],
  ["expands no dollar patterns", "price\n", "price", "$& $$ $` $' $1", "$& $$ $` $' $1\n"],
  ["keeps CRLF when lines are inserted", "a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n"],
  ["matches lines across CRLF", "a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"],
  [
    "keeps each line's own ending in a mixed file",
    "a\nb\r\nc\nd\r\n",
    "b\nc\nd",
    "b\nx\nd",
    "a\nb\r\nx\nd\r\n",
  ],
  ["takes the ending of the place, not of the file", "a\r\nb\nc\nd\r\n", "b", "b\nx", "a\r\nb\nx\nc\nd\r\n"],
  ["deletes a line with its CRLF", "a\r\nb\r\nc\r\n", "b\n", "", "a\r\nc\r\n"],
  ["leaves a missing last newline missing", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"],
  ["takes lone returns for endings where there is no newline", "a\rb\rc", "a\nb", "a\nx\nb", "a\rx\rb\rc"],
  ["writes returns as they are given when the old text has them", "a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n"],
  [
    "finds text with CRLF in a file without",
    "a\nb\n",
    "a\r\nb",
    "a\r\nc",
    "a\nc\n",
    `${AT_1} The place differed from old_string in line endings only.`,
  ],
  ["keeps a byte order mark", "\ufeffone\r\ntwo\r\n", "one\n", "1\n", "\ufeff1\r\ntwo\r\n"],
  ["doesn't straighten quotes", "say(“hi”)\n", "say(“hi”)", "say(“ho”)", "say(“ho”)\n"],
  ["keeps a trailing blank that both texts have", "a \nb\n", "a \nb", "a \nc", "a \nc\n"],
  ["works on empty lines", "a\n\n\nb\n", "a\n\n\nb", "a\n\nb", "a\n\nb\n"],
  [
    "re-indents with tabs what was given with blanks",
    "if (x) {\n\tfoo();\n\tif (y) {\n\t\tbar();\n\t}\n}\n",
    "    foo();\n    if (y) {\n        bar();",
    "    foo();\n    if (z) {\n        baz();",
    "if (x) {\n\tfoo();\n\tif (z) {\n\t\tbaz();\n\t}\n}\n",
    "Replaced 1 occurrence in ROOT/a.txt, at line 2. The place differed from old_string in indentation only. The new text was given the file's indentation.",
  ],
  [
    "re-indents one tab more or less",
    "{\n\t\tcall(one);\n\t\tcall(two);\n}\n",
    "\tcall(one);\n\tcall(two);",
    "\tcall(one);\n\tcall(1.5);\n\tcall(two);",
    "{\n\t\tcall(one);\n\t\tcall(1.5);\n\t\tcall(two);\n}\n",
  ],
  [
    "re-indents with blanks what was given with tabs",
    "f:\n    a\n    b\n",
    "\ta\n\tb\n",
    "\ta\n\t\tc\n\tb\n",
    "f:\n    a\n        c\n    b\n",
  ],
  [
    "matches another Unicode form, and keeps it where nothing changes",
    "# cafe\u0301\nprice = 1\n",
    "# caf\u00e9\nprice = 1",
    "# caf\u00e9\nprice = 2",
    "# cafe\u0301\nprice = 2\n",
    `${AT_1} The place differed from old_string in Unicode form only.`,
  ],
  ["matches another Unicode form within a line", "x = 'cafe\u0301';\n", "caf\u00e9", "tea", "x = 'tea';\n"],
];

describe.each(WORLDS)("Edit on $name", ({ open }) => {
  it.each(rows.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    const [, content, old, fresh, after, said] = row;
    await using world = open();
    const outcome = await edit(world, content, old, fresh);
    expect(outcome.code).toBeUndefined();
    expect(await world.text("a.txt")).toBe(after);
    if (said !== undefined) expect(outcome.text).toBe(said);
  });

  it.each<[string, string, string]>([
    ["Shift_JIS", "// 表示する\r\nint ソ = 1;\r\n", "ソ"],
    ["GB18030", "// 中文注释：初始化配置\nname = 旧的\n", "旧的"],
    ["windows-1252", "// café au lait, déjà vu\nname = näheres\n", "näheres"],
    ["utf-16le", "name = žluť\r\n", "žluť"],
    ["utf-16be", "name = žluť\r\n", "žluť"],
    ["EUC-KR", "// 한국어 테스트 문장입니다\nx = 문장\n", "x = 문장"],
  ])("writes new text in the file's encoding, %s", async (encoding, content, old) => {
    await using world = open();
    const bytes = iconv.encode(content, encoding, { addBOM: encoding.startsWith("utf-16") });
    const outcome = await edit(world, bytes, old, `${old}${old}`);
    expect(outcome.code).toBeUndefined();
    expect(iconv.decode(await world.get("a.txt"), encoding)).toBe(content.replace(old, `${old}${old}`));
  });

  it("finds no ASCII text in the second byte of a character", async () => {
    await using world = open();
    // In Shift-JIS, the second byte of 表 and ソ is a backslash.
    const content = "// 表示するソフトの設定\npath = a\\b\n";
    const outcome = await edit(world, iconv.encode(content, "Shift_JIS"), "\\", "/");
    expect(outcome.code).toBeUndefined();
    expect(iconv.decode(await world.get("a.txt"), "Shift_JIS")).toBe(content.replace("\\", "/"));
  });

  it("leaves bytes alone that are in no encoding", async () => {
    await using world = open();
    const broken = Buffer.from([0xff, 0xfe, 0xe9, 0x80]);
    const before = Buffer.concat([Buffer.from("one\r\n"), broken, Buffer.from("\ntwo\n"), broken]);
    const after = Buffer.concat([Buffer.from("one\r\n"), broken, Buffer.from("\n2\n"), broken]);
    expect((await edit(world, before, "two", "2")).code).toBeUndefined();
    expect(await world.get("a.txt")).toEqual(after);
  });

  it("replaces every occurrence when told to", async () => {
    await using world = open();
    const outcome = await edit(world, "a b\r\na c\na", "a", "x", true);
    expect(outcome).toMatchObject({
      text: "Replaced 3 occurrences in ROOT/a.txt, from line 1 on.",
      metadata: { occurrences: 3 },
    });
    expect(await world.text("a.txt")).toBe("x b\r\nx c\nx");
  });

  it("replaces lines with any endings when told to replace all", async () => {
    await using world = open();
    await edit(world, "a\nb\n--\na\r\nb\r\n", "a\nb", "c\nd", true);
    expect(await world.text("a.txt")).toBe("c\nd\n--\nc\r\nd\r\n");
  });

  it("gives the change as a unified diff", async () => {
    await using world = open();
    const content = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");
    const { metadata } = await edit(world, content, "line 20\n", "line 20\nline 20.5\n");
    const path = world.path("a.txt");
    expect(metadata).toEqual({
      file_path: path,
      occurrences: 1,
      diff: `--- a${path}\n+++ b${path}\n@@ -18,6 +18,7 @@\n line 18\n line 19\n line 20\n+line 20.5\n line 21\n line 22\n line 23\n`,
    });
  });

  it.each<[string, string, string, string, string]>([
    [
      "several occurrences",
      "x\na\nx\n",
      "x",
      "y",
      "ambiguous_match: old_string occurs 2 times in ROOT/a.txt: lines 1, 3. Give more of the text around the one you mean, or set replace_all.",
    ],
    [
      "the same text as old and new",
      "a",
      "a",
      "a",
      "invalid_input: old_string and new_string are the same; there is nothing to change.",
    ],
    [
      "an empty old text where there is content",
      "a",
      "",
      "b",
      "invalid_input: old_string is empty, and ROOT/a.txt has content already. Give the text to replace, or use Write to replace the whole file.",
    ],
    [
      "several places that differ in indentation",
      "if a:\n\tx = 1\nif b:\n\tx = 1\n",
      "        x = 1",
      "        x = 2",
      "ambiguous_match: old_string is not in ROOT/a.txt as given; but for indentation it matches 2 places: lines 2, 4. Copy the text exactly, with more of what is around the place you mean.",
    ],
    [
      "curly for straight quotes",
      "say(“hi”)\n",
      'say("hi")',
      'say("ho")',
      "no_match: old_string was not found in ROOT/a.txt. The nearest place is line 1, which differs in curly and straight quotes. The file has:\n     1\tsay(“hi”)",
    ],
    [
      "blanks at a line's end",
      "a = 1 \nb = 2\n",
      "a = 1\nb = 2",
      "x",
      "no_match: old_string was not found in ROOT/a.txt. The nearest place is lines 1–2, which differs in blanks at the end of a line. The file has:\n     1\ta = 1 \n     2\tb = 2",
    ],
    [
      "another case",
      "const Value = 1;\n",
      "const value = 1;",
      "x",
      "no_match: old_string was not found in ROOT/a.txt. The nearest place is line 1, which differs in upper and lower case. The file has:\n     1\tconst Value = 1;",
    ],
    [
      "a special blank",
      "a\u00a0= 1;\n",
      "a = 1;",
      "x",
      "no_match: old_string was not found in ROOT/a.txt. The nearest place is line 1, which differs in invisible or special blanks. The file has:\n     1\ta\u00a0= 1;",
    ],
    [
      "an indent that isn't uniform",
      "\tone\n  two\n",
      "    one\n    two",
      "x",
      "no_match: old_string was not found in ROOT/a.txt. The nearest place is lines 1–2, which differs in indentation (the file has tabs where old_string has blanks), indentation. The file has:\n     1\tone\n     2\t  two".replace(
        "\tone",
        "\t\tone",
      ),
    ],
    [
      "the line numbers of Read",
      "one\ntwo\n",
      "     1\tone\n     2\ttwo",
      "x",
      "no_match: old_string was not found in ROOT/a.txt. old_string holds the line numbers that Read puts before each line; leave them out.",
    ],
    [
      "a line that is only like it",
      "function add(a, b) {\n  return a + b;\n}\n",
      "function add(a, b, c) {\n  return a + b + c;\n}",
      "x",
      "no_match: old_string was not found in ROOT/a.txt. The nearest place is lines 1–3; line 1 is the first that differs. The file has:\n     1\tfunction add(a, b) {\n     2\t  return a + b;\n     3\t}",
    ],
    [
      "nothing like it",
      "one\n",
      "completely different words",
      "x",
      "no_match: old_string was not found in ROOT/a.txt. Nothing in the file is near it. Read the file again and copy the text from there.",
    ],
  ])("changes nothing for %s, and says why", async (_title, content, old, fresh, said) => {
    await using world = open();
    const { code, text } = await edit(world, content, old, fresh);
    expect(`${code}: ${text}`).toBe(said);
    expect(await world.text("a.txt")).toBe(content);
  });

  it("doesn't guess how to carry over an indent that could mean two things", async () => {
    await using world = open();
    const { code } = await edit(world, "\tfoo();\n", "  foo();", "  foo();\n    bar();");
    expect(code).toBeUndefined();
    expect(await world.text("a.txt")).toBe("\tfoo();\n\t\tbar();\n");
    const content = "{\n\tfoo();\n\tbar();\n}\n";
    const outcome = await edit(world, content, "foo();\nbar();", "foo();\n    more();\nbar();");
    expect(outcome.code).toBe("no_match");
    expect(await world.text("a.txt")).toBe(content);
  });

  it("makes a new file from an empty old text, and fills an empty one", async () => {
    await using world = open();
    const made = await world.run(new Edit(), { file_path: "d/new.txt", old_string: "", new_string: "x\n" });
    expect(made.text).toBe("Created ROOT/d/new.txt.");
    expect((await edit(world, "", "", "y\n")).text).toBe("Filled ROOT/a.txt.");
    expect([await world.text("d/new.txt"), await world.text("a.txt")]).toEqual(["x\n", "y\n"]);
  });

  it("says what is nearest to a missing file", async () => {
    await using world = open();
    await world.put("index.ts", "x");
    expect(
      await world.run(new Edit(), { file_path: "indx.ts", old_string: "x", new_string: "y" }),
    ).toMatchObject({
      code: "not_found",
      text: "ROOT/indx.ts doesn't exist. Did you mean ROOT/index.ts?",
    });
  });

  it("edits the only file that looks the same, and states it", async () => {
    await using world = open();
    await world.put("cafe\u0301.txt", "one");
    await world.run(new Read(), { file_path: "caf\u00e9.txt" });
    const input = { file_path: "caf\u00e9.txt", old_string: "one", new_string: "two" };
    expect(await new Edit().effects(input, world.permissionContext())).toEqual([
      { kind: "write", path: world.path("caf\u00e9.txt") },
      { kind: "write", path: world.path("cafe\u0301.txt") },
    ]);
    await world.run(new Edit(), input);
    expect(await world.text("cafe\u0301.txt")).toBe("two");
  });

  it("wants the file read, and unchanged since", async () => {
    await using world = open();
    await world.put("a.txt", "one");
    const input = { file_path: "a.txt", old_string: "one", new_string: "two" };
    expect((await world.run(new Edit(), input)).code).toBe("not_read");
    await world.run(new Read(), { file_path: "a.txt" });
    await world.put("a.txt", "one!");
    expect((await world.run(new Edit(), input)).code).toBe("stale");
    await world.put("a.txt", "one");
    expect((await world.run(new Edit(), input)).code).toBeUndefined();
  });

  it("keeps all of many parallel edits of one file, from several sessions' tools", async () => {
    await using world = open();
    const count = 12;
    await world.put("a.txt", Array.from({ length: count }, (_, at) => `old ${at};\n`).join(""));
    await world.run(new Read(), { file_path: "a.txt" });
    const outcomes = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        world.run(new Edit(), { file_path: "a.txt", old_string: `old ${at};`, new_string: `new ${at};` }),
      ),
    );
    expect(outcomes.map(({ code }) => code)).toEqual(outcomes.map(() => undefined));
    expect(await world.text("a.txt")).toBe(Array.from({ length: count }, (_, at) => `new ${at};\n`).join(""));
  });

  it("edits a large file piece by piece, again and again", async () => {
    await using world = open();
    const row = "some text that fills a line of a large file\r\n";
    const content = `${row.repeat(220_000)}the needle\r\n${row.repeat(10)}`;
    expect((await edit(world, content, "the needle", "the nail\nand another")).text).toBe(
      "Replaced 1 occurrence in ROOT/a.txt, at line 220001.",
    );
    const input = { file_path: "a.txt", old_string: "the nail\nand", new_string: "and" };
    expect((await world.run(new Edit(), input)).code).toBeUndefined();
    expect((await world.text("a.txt")) === content.replace("the needle", "and another")).toBe(true);
  });

  it("refuses new text that the encoding lacks a character for", async () => {
    await using world = open();
    const bytes = iconv.encode("// café au lait, déjà vu\nx\n", "windows-1252");
    expect((await edit(world, bytes, "x", "日本")).code).toBe("invalid_input");
    expect(await world.get("a.txt")).toEqual(bytes);
  });
});
