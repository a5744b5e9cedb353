import { describe, expect, it } from "vitest";
import { type FileWorld, localWorld, WORLDS } from "../../../test/file-world.ts";
import type { ToolInput } from "../../tool.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import { EditFile } from "./edit-file.ts";
import { FileSearch } from "./file-search.ts";
import { ListDir } from "./list-dir.ts";
import { ReadFile } from "./read-file.ts";
import { WriteFile } from "./write-file.ts";

describe.each(WORLDS)("read_file on $name", ({ open }) => {
  it("shows lines with their numbers, a range, and none", async () => {
    await using world = open();
    await world.put("a.txt", "one\ntwo\nthree\n");
    const rows = [
      [{}, "     1\tone\n     2\ttwo\n     3\tthree"],
      [{ start_line: 2 }, "     2\ttwo\n     3\tthree\n\n[Lines 2–3 of 3: the end of the file.]"],
      [{ end_line: 1 }, "     1\tone\n\n[Line 1; more follow. Continue with start_line=2.]"],
      [
        { start_line: 2, end_line: 9 },
        "     2\ttwo\n     3\tthree\n\n[Lines 2–3 of 3: the end of the file.]",
      ],
      [{ show_line_numbers: false }, "one\ntwo\nthree"],
      [{ start_line: 9 }, "[start_line=9 is past the end: the file has 3 lines.]"],
    ] as const;
    for (const [range, text] of rows) {
      expect((await world.run(new ReadFile(), { path: "a.txt", ...range })).text).toBe(text);
    }
  });

  it("reads an empty file, alone and among others", async () => {
    await using world = open();
    await world.put("empty.txt", "");
    expect((await world.run(new ReadFile(), { path: "empty.txt" })).text).toBe("[The file is empty.]");
    expect((await world.run(new ReadFile(), { paths: ["empty.txt"] })).text).toContain(
      "1 file read, 0 failed",
    );
  });

  it("shows several files, and says which could not be read", async () => {
    await using world = open();
    await world.put("a.txt", "one");
    await world.put("b.txt", "two");
    const { text, response } = await world.run(new ReadFile(), { paths: ["a.txt", "nowhere.txt", "b.txt"] });
    expect(text).toBe(
      [
        "[File: a.txt]\n     1\tone",
        "[File: nowhere.txt]\nError: ROOT/nowhere.txt doesn't exist. List ROOT with list_dir to see what is there.",
        "[File: b.txt]\n     1\ttwo",
        "[2 files read, 1 failed.]",
      ].join("\n\n"),
    );
    expect(response?.state).toBe("error");
  });

  it("refuses ranges that make no sense", async () => {
    await using world = open();
    await world.put("a.txt", "one\ntwo");
    const rows = [
      [{ path: "a.txt", start_line: 2, end_line: 1 }, "end_line 1 is before start_line 2."],
      [{ paths: ["a.txt"], start_line: 1 }, "start_line and end_line go with path, not with paths."],
    ] as const;
    for (const [input, text] of rows) {
      const outcome = await world.run(new ReadFile(), input);
      expect(outcome).toMatchObject({ code: "invalid_input", text: expect.stringContaining(text) });
    }
  });

  it("speaks of its own tools when it can't", async () => {
    await using world = open();
    await world.put("folder/a.bin", new Uint8Array([0, 1, 2, 3, 0, 0, 7]));
    expect((await world.run(new ReadFile(), { path: "folder" })).text).toBe(
      "ROOT/folder is a directory. List it with list_dir.",
    );
    expect((await world.run(new ReadFile(), { path: "folder/a.bin" })).text).toContain(
      "Use exec with a program",
    );
  });
});

describe.each(WORLDS)("write_file on $name", ({ open }) => {
  it("makes folders, and replaces only what was read", async () => {
    await using world = open();
    const made = await world.run(new WriteFile(), { path: "a/b/c.txt", content: "one\n" });
    expect(made.text).toBe("Created ROOT/a/b/c.txt (1 line).");
    await world.put("mine.txt", "mine");
    const refused = await world.run(new WriteFile(), { path: "mine.txt", content: "x" });
    expect(refused).toMatchObject({ code: "not_read" });
    await world.run(new ReadFile(), { path: "mine.txt" });
    await world.run(new WriteFile(), { path: "mine.txt", content: "yours" });
    expect(await world.text("mine.txt")).toBe("yours");
  });

  it("appends, and leaves every byte before as it is", async () => {
    await using world = open();
    const rows = [
      ["crlf.txt", Buffer.from("one\r\ntwo\r\n"), "three\r\n", Buffer.from("one\r\ntwo\r\nthree\r\n")],
      ["open.txt", Buffer.from("one"), "two", Buffer.from("onetwo")],
      [
        "latin.txt",
        Buffer.from("caf\xe9 au lait, d\xe9j\xe0 vu\n", "latin1"),
        "\u00e9\n",
        Buffer.from("caf\xe9 au lait, d\xe9j\xe0 vu\n\xe9\n", "latin1"),
      ],
    ] as const;
    for (const [path, before, content, after] of rows) {
      await world.put(path, before);
      const outcome = await world.run(new WriteFile(), { path, content, mode: "append" });
      expect(outcome.code).toBeUndefined();
      expect(await world.get(path)).toEqual(after);
    }
  });

  it("makes the file that it appends to, and goes on in it", async () => {
    await using world = open();
    const append = (content: string) =>
      world.run(new WriteFile(), { path: "new/log.txt", content, mode: "append" });
    expect((await append("one\n")).text).toBe("Created ROOT/new/log.txt with 4 characters.");
    expect((await append("two\n")).text).toBe("Appended 4 characters to ROOT/new/log.txt.");
    // What it wrote itself needs no reading.
    const edited = await world.run(new EditFile(), { path: "new/log.txt", old_str: "two", new_str: "2" });
    expect(edited.code).toBeUndefined();
    expect(await world.text("new/log.txt")).toBe("one\n2\n");
  });

  it("loses nothing when many append at once", async () => {
    await using world = open();
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}\n`);
    await Promise.all(
      lines.map((content) => world.run(new WriteFile(), { path: "log.txt", content, mode: "append" })),
    );
    expect((await world.text("log.txt")).split("\n").sort()).toEqual(
      lines
        .map((line) => line.trim())
        .concat("")
        .sort(),
    );
  });
});

describe.each(WORLDS)("edit_file on $name", ({ open }) => {
  async function edited(world: FileWorld, before: string, input: ToolInput): Promise<string> {
    await world.put("a.txt", before);
    await world.run(new ReadFile(), { path: "a.txt" });
    const { code, text } = await world.run(new EditFile(), { path: "a.txt", ...input });
    return code === undefined ? await world.text("a.txt") : `${code}: ${text}`;
  }

  const rows: readonly (readonly [before: string, input: ToolInput, after: string])[] = [
    ["one two", { old_str: "two", new_str: "2" }, "one 2"],
    ["one two", { old_text: "two", new_text: "2" }, "one 2"],
    ["one two", { old_str: "two", new_str: "" }, "one "],
    ["a a", { old_str: "a", new_str: "b", replace_all: true }, "b b"],
    ["one\r\ntwo\r\n", { old_str: "two", new_str: "2\n3" }, "one\r\n2\r\n3\r\n"],
    // Lines.
    ["1\n2\n3\n", { start_line: 2, new_str: "two" }, "1\ntwo\n3\n"],
    ["1\n2\n3\n", { start_line: 2, end_line: 3, new_str: "two\n" }, "1\ntwo\n"],
    ["1\n2\n3\n", { start_line: 1, new_str: "a\nb" }, "a\nb\n2\n3\n"],
    ["1\n2\n3", { start_line: 3, new_str: "three" }, "1\n2\nthree"],
    ["1\n2\n3\n", { start_line: 2, new_str: "" }, "1\n3\n"],
    ["1\n2\n3", { start_line: 3, new_str: "" }, "1\n2\n"],
    ["1\r\n2\r\n", { start_line: 1, new_str: "a\nb" }, "a\r\nb\r\n2\r\n"],
    ["1\r2\r3", { start_line: 2, new_str: "two" }, "1\rtwo\r3"],
    ["\ufeff1\n2\n", { start_line: 1, new_str: "one" }, "\ufeffone\n2\n"],
    // Lines put in.
    ["1\n2\n", { start_line: 1, insert: true, new_str: "0" }, "0\n1\n2\n"],
    ["1\n2\n", { start_line: 2, insert: true, new_str: "a\nb\n" }, "1\na\nb\n2\n"],
    ["1\n2\n", { start_line: 3, insert: true, new_str: "3" }, "1\n2\n3\n"],
    ["one", { start_line: 2, insert: true, new_str: "two" }, "one\ntwo\n"],
    ["1\r\n2\r\n", { start_line: 2, insert: true, new_str: "x" }, "1\r\nx\r\n2\r\n"],
    ["", { start_line: 1, insert: true, new_str: "first" }, "first\n"],
    ["1\n", { start_line: 1, insert: true, new_str: "" }, "\n1\n"],
  ];

  it.each(rows)("%j with %j is %j", async (before, input, after) => {
    await using world = open();
    expect(await edited(world, before, input)).toBe(after);
  });

  const refusals: readonly (readonly [input: ToolInput, text: string])[] = [
    // A text that was left out is no deletion.
    [{ old_str: "two" }, "new_str is missing"],
    [{ start_line: 1 }, "new_str is missing"],
    [{ new_str: "x" }, "Neither old_str nor start_line is given"],
    [{ old_str: "two", new_str: "x", start_line: 1 }, "given both"],
    [{ start_line: 1, end_line: 2, insert: true, new_str: "x" }, "insert takes no end_line"],
    [{ start_line: 3, end_line: 2, new_str: "x" }, "end_line 2 is before start_line 3"],
    [{ old_str: "a", old_text: "b", new_str: "x" }, "are the same parameter"],
    [
      { start_line: 4, new_str: "x" },
      "has 2 lines; there is no line 4. To add lines at the end give start_line 3",
    ],
    [{ start_line: 4, insert: true, new_str: "x" }, "before line 3 at most, not before 4"],
    [{ old_str: "o", new_str: "x" }, "old_str occurs 2 times"],
    [{ old_str: "nothing like it", new_str: "x" }, "old_str was not found"],
  ];

  it.each(refusals)("refuses %j", async (input, text) => {
    await using world = open();
    expect(await edited(world, "one two\nthree\n", input)).toContain(text);
    expect(await world.text("a.txt")).toBe("one two\nthree\n");
  });

  it("edits no lines of a file that has changed since it was read", async () => {
    await using world = open();
    await world.put("a.txt", "1\n2\n");
    expect(await world.run(new EditFile(), { path: "a.txt", start_line: 1, new_str: "x" })).toMatchObject({
      code: "not_read",
    });
    await world.run(new ReadFile(), { path: "a.txt" });
    await world.put("a.txt", "0\n1\n2\n");
    expect(await world.run(new EditFile(), { path: "a.txt", start_line: 1, new_str: "x" })).toMatchObject({
      code: "stale",
    });
  });
});

describe.each(WORLDS)("list_dir and file_search on $name", ({ open }) => {
  async function tree(world: FileWorld): Promise<void> {
    await world.put("b.txt", "12345");
    await world.put("A/Report.PDF", "x");
    await world.put("A/deep/er/report.pdf", "x");
    await world.put("node_modules/m/report.pdf", "x");
    await world.put(".git/config", "x");
    await world.link(world.path("A"), "link");
  }

  it("lists one directory, or all below", async () => {
    await using world = open();
    await tree(world);
    expect((await world.run(new ListDir(), {})).text).toBe(
      "ROOT: 5 entries\ndir   .git/\ndir   A/\nfile  b.txt  5 bytes\nlink  link\ndir   node_modules/",
    );
    expect((await world.run(new ListDir(), { path: ".", recursive: true })).text).toBe(
      [
        "ROOT: 9 entries",
        "dir   .git/",
        "dir   A/",
        "file  b.txt  5 bytes",
        "link  link",
        "dir   node_modules/",
        "file  A/Report.PDF  1 byte",
        "dir   A/deep/",
        "dir   A/deep/er/",
        "file  A/deep/er/report.pdf  1 byte",
        "[Not looked into, unless path names them: .git, node_modules.]",
      ].join("\n"),
    );
    await world.backend.mkdir(world.path("none"));
    expect((await world.run(new ListDir(), { path: "none" })).text).toBe("ROOT/none is empty.");
  });

  const left = "[Not looked into, unless path names them: .git, node_modules.]";
  const rows: readonly (readonly [input: ToolInput, text: string])[] = [
    [{ pattern: "*.pdf" }, `ROOT/A/Report.PDF\nROOT/A/deep/er/report.pdf\n${left}`],
    // Files are found further down too.
    [{ pattern: "report.pdf", type: "file" }, `ROOT/A/Report.PDF\nROOT/A/deep/er/report.pdf\n${left}`],
    [{ pattern: "de?p", type: "dir" }, `ROOT/A/deep/\n${left}`],
    [{ pattern: "[ab]*", max_depth: 0 }, "ROOT/A/\nROOT/b.txt"],
    [{ pattern: "*.pdf", max_depth: 1 }, `ROOT/A/Report.PDF\n${left}`],
    [{ pattern: "*.pdf", limit: 1 }, "ROOT/A/Report.PDF\n[The first 1; there are more."],
    [{ path: "node_modules", pattern: "*.pdf" }, "ROOT/node_modules/m/report.pdf"],
    [{ pattern: "*.exe" }, "Nothing below ROOT is named like *.exe."],
    // A link is no way in.
    [{ path: "A/deep", pattern: "*" }, "ROOT/A/deep/er/\nROOT/A/deep/er/report.pdf"],
  ];

  it.each(rows)("finds %j", async (input, text) => {
    await using world = open();
    await tree(world);
    expect((await world.run(new FileSearch(), input)).text).toContain(text);
  });

  it("fails where there is nothing to look through", async () => {
    await using world = open();
    await world.put("a.txt", "x");
    expect(await world.run(new FileSearch(), { path: "nowhere" })).toMatchObject({ code: "not_found" });
    expect(await world.run(new ListDir(), { path: "a.txt" })).toMatchObject({ code: "not_a_directory" });
  });
});

describe("the workspace", () => {
  const outside = [
    ["read_file", { path: "/etc/hosts" }],
    ["read_file", { path: "../secret.txt" }],
    ["read_file", { path: "etc/hosts" }],
    ["read_file", { paths: ["a.txt", "/etc/hosts"] }],
    ["write_file", { path: "../new.txt", content: "x" }],
    ["write_file", { path: "etc/new.txt", content: "x", mode: "append" }],
    ["edit_file", { path: "/etc/hosts", old_str: "a", new_str: "b" }],
    ["list_dir", { path: "/" }],
    ["list_dir", { path: "etc" }],
    ["file_search", { path: "..", pattern: "*" }],
  ] as const;
  const tools = (outsideWorkspace: "deny" | "ask") =>
    [ReadFile, WriteFile, EditFile, ListDir, FileSearch].map((Tool) => new Tool({ outsideWorkspace }));

  it.each(outside)("isn't left by %s %j", async (name, input) => {
    await using world = localWorld();
    await world.put("a.txt", "x");
    await world.link("/etc", "etc");
    await using toolkit = new Toolkit({ tools: tools("deny"), backend: world.backend, mode: "bypass" });
    const denied = await toolkit.execute(name, { ...input });
    expect(denied).toMatchObject({
      state: "denied",
      text: expect.stringMatching(/stays inside the workspace/),
    });
    await using lifted = new Toolkit({
      tools: tools("ask"),
      backend: world.backend,
      rules: [`allow:${name}`],
    });
    expect((await lifted.judge(name, { ...input })).behavior).toBe("ask");
  });
});
