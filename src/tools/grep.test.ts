import { access, chmod, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandWorld, worldWithSearcher } from "../../test/command-world.ts";
import type { JsonObject } from "../lib/json.ts";
import { Bash } from "./bash.ts";
import { Grep } from "./grep.ts";

const files = {
  "a.ts": "one\ntwo needle\nthree\nfour\nfive NEEDLE\n",
  "b.js": "needle (here\n",
  "src/c.ts": "nothing\n",
  "src/d.ts": "a needle\r\nwindows\r\n",
  ".hidden/e.ts": "needle\n",
  ".git/f": "needle\n",
};

interface Row {
  readonly title: string;
  readonly input: JsonObject;
  /** Lines of the answer; `$` stands for the folder. */
  readonly lines: readonly string[];
}

const rows: readonly Row[] = [
  {
    title: "files by default, hidden ones too, .git not",
    input: { pattern: "needle" },
    lines: ["$/.hidden/e.ts", "$/a.ts", "$/b.js", "$/src/d.ts"],
  },
  {
    title: "lines with their numbers",
    input: { pattern: "needle", output_mode: "content", glob: "*.ts" },
    lines: ["$/.hidden/e.ts:1:needle", "$/a.ts:2:two needle", "$/src/d.ts:1:a needle"],
  },
  {
    title: "lines without numbers",
    input: { pattern: "needle", output_mode: "content", path: "a.ts", n: false },
    lines: ["$/a.ts:two needle"],
  },
  {
    title: "counts",
    input: { pattern: "needle", output_mode: "count", i: true },
    lines: ["$/.hidden/e.ts:1", "$/a.ts:2", "$/b.js:1", "$/src/d.ts:1"],
  },
  {
    title: "upper and lower case alike",
    input: { pattern: "five needle", output_mode: "content", "-i": true },
    lines: ["$/a.ts:5:five NEEDLE"],
  },
  {
    title: "lines around",
    input: {
      pattern: "needle",
      output_mode: "content",
      path: "a.ts",
      case_insensitive: true,
      "-A": 1,
      "-B": 0,
    },
    lines: ["$/a.ts:2:two needle", "$/a.ts-3-three", "--", "$/a.ts:5:five NEEDLE"],
  },
  {
    title: "context beats -C, which beats -A and -B",
    input: { pattern: "two", output_mode: "content", context: 1, "-C": 5, "-A": 9 },
    lines: ["$/a.ts-1-one", "$/a.ts:2:two needle", "$/a.ts-3-three"],
  },
  {
    title: "files are parted when there is context",
    input: { pattern: "needle", output_mode: "content", glob: "{b.js,*/d.ts}", "-C": 1 },
    lines: ["$/b.js:1:needle (here", "--", "$/src/d.ts:1:a needle", "$/src/d.ts-2-windows"],
  },
  {
    title: "several globs, one of them against",
    input: { pattern: "needle", glob: "*.ts,*.js !b.js" },
    lines: ["$/.hidden/e.ts", "$/a.ts", "$/src/d.ts"],
  },
  { title: "a type", input: { pattern: "needle", type: "js" }, lines: ["$/b.js"] },
  { title: "a path below", input: { pattern: "needle", path: "src" }, lines: ["$/src/d.ts"] },
  { title: "a path into version control", input: { pattern: "needle", path: ".git" }, lines: ["$/.git/f"] },
  {
    title: "over several lines",
    input: { pattern: "one.two", output_mode: "content", multiline: true },
    lines: ["$/a.ts:1:one", "$/a.ts:2:two needle"],
  },
  {
    title: "a pattern that begins with a dash",
    input: { pattern: "-needle" },
    lines: ["No matches for -needle."],
  },
  {
    title: "a page",
    input: { pattern: "needle", head_limit: 2, offset: 1 },
    lines: ["$/a.ts", "$/b.js", "[Lines 2 to 3 of 4. The next start at offset: 3.]"],
  },
  {
    title: "the last page",
    input: { pattern: "needle", head_limit: 2, offset: 3 },
    lines: ["$/src/d.ts", "[Lines 4 to 4 of 4.]"],
  },
  {
    title: "a page past the end",
    input: { pattern: "needle", offset: 10 },
    lines: ["There are only 4 lines; offset 10 is past them."],
  },
  { title: "nothing", input: { pattern: "absent" }, lines: ["No matches for absent."] },
];

describe("Grep answers", () => {
  it.each(rows)("$title", async ({ input, lines }) => {
    await using world = await commandWorld(files);
    const { text, state } = await world.call(new Grep(), input);
    expect({ lines: text.split("\n").map((line) => line.replace(world.folder, "$")), state }).toEqual({
      lines,
      state: "success",
    });
  });

  it("250 lines unless told otherwise, and all that fit on head_limit 0", async () => {
    await using world = await commandWorld({ "many.txt": "needle\n".repeat(1000) });
    const limited = await world.call(new Grep(), { pattern: "needle", output_mode: "content" });
    expect(limited.text.split("\n").length).toBe(251);
    expect(limited.text.endsWith("[Lines 1 to 250 of 1000. The next start at offset: 250.]")).toBe(true);
    const all = await world.call(new Grep(), { pattern: "needle", output_mode: "content", head_limit: 0 });
    expect(all.text.split("\n").length).toBe(1000);
  });

  it("bounded, whatever is found", async () => {
    await using world = await commandWorld({ "many.txt": `needle ${"x".repeat(90)}\n`.repeat(100_000) });
    const { text, metadata } = await world.call(new Grep(), {
      pattern: "x",
      output_mode: "content",
      head_limit: 0,
    });
    expect(text.length).toBeLessThan(101_000);
    expect(text).toContain("The search was stopped at 4 MB of results, so these are not all.");
    expect(metadata.complete).toBe(false);
  });

  it("long lines cut", async () => {
    await using world = await commandWorld({ "min.js": `needle${"x".repeat(100_000)}\n` });
    const { text } = await world.call(new Grep(), { pattern: "needle", output_mode: "content" });
    expect(text.length).toBeLessThan(800);
    expect(text).toMatch(/x \[\.\.\. .*\]$/);
  });

  it("a binary file's match without its bytes", async () => {
    await using world = await commandWorld({ "x.bin": Buffer.from("needle\0\x01\x02needle\n") });
    const { text } = await world.call(new Grep(), {
      pattern: "needle",
      output_mode: "content",
      path: "x.bin",
    });
    expect(text).toBe(`${world.folder}/x.bin: binary file matches (found "\\0" byte around offset 6)`);
  });

  it("a binary file's match by name after others, never as theirs", async () => {
    const late = `needle\n${"x".repeat(100_000)}\n\0`;
    await using world = await commandWorld({ "a.txt": "needle\n", "b.bin": late, "c.txt": "needle\n" });
    const { text } = await world.call(new Grep(), { pattern: "needle", output_mode: "content" });
    expect(text.replaceAll(world.folder, "$").split("\n")).toEqual([
      "$/a.txt:1:needle",
      "$/b.bin:1:needle",
      expect.stringMatching(/^\$\/b\.bin: WARNING: stopped searching binary file after match/),
      "$/c.txt:1:needle",
    ]);
  });

  it("nothing of a binary file that may not be shown unasked", async () => {
    const late = `needle\n${"x".repeat(100_000)}\n\0`;
    await using world = await commandWorld({ ".env": late, "c.txt": "needle\n" });
    const context = { mayRead: (paths: readonly string[]) => paths.map((path) => !path.endsWith(".env")) };
    const { text } = await world.call(new Grep(), { pattern: "needle", output_mode: "content" }, context);
    expect(text).toBe(`${world.folder}/c.txt:1:needle`);
  });

  it.each([
    [
      "a broken pattern",
      { pattern: "a(" },
      /^ripgrep refused the search: regex parse error:[\s\S]*unclosed group[\s\S]*literally\.$/,
    ],
    ["an unknown type", { pattern: "a", type: "nosuch" }, /unrecognized file type: nosuch/],
    ["a broken glob", { pattern: "a", glob: "{a" }, /^ripgrep refused the search: .*glob/],
    ["an empty pattern", { pattern: "" }, /^pattern is empty/],
    ["a NUL in the pattern", { pattern: "a\0" }, /^pattern holds a NUL character\.$/],
    ["a NUL in the glob", { pattern: "a", glob: "\0" }, /^glob holds a NUL character\.$/],
    ["a NUL in the type", { pattern: "a", type: "\0" }, /^type holds a NUL character\.$/],
    ["a NUL in the path", { pattern: "a", path: "\0" }, /^path holds a NUL character\.$/],
  ])("%s with an error that says why", async (_title, input, text) => {
    await using world = await commandWorld(files);
    expect(await world.call(new Grep(), input)).toMatchObject({
      code: "invalid_input",
      text: expect.stringMatching(text),
    });
  });

  it("a missing path with an error", async () => {
    await using world = await commandWorld(files);
    expect(await world.call(new Grep(), { pattern: "a", path: "nowhere" })).toMatchObject({
      text: `${world.folder}/nowhere doesn't exist. Give an existing file or directory, or leave path out to search the working directory.`,
      code: "not_found",
    });
  });

  it("as interrupted when it is cancelled", async () => {
    await using world = await commandWorld(files);
    const outcome = await world.call(new Grep(), { pattern: "a" }, { signal: AbortSignal.abort() });
    expect(outcome.state).not.toBe("success");
  });
});

describe("no field of Grep becomes an option of ripgrep", () => {
  it.each(["path", "pattern", "glob", "type"])("%s", async (field) => {
    await using world = await commandWorld(files);
    const script = join(world.folder, "evil.sh");
    const mark = join(world.folder, "ran");
    await writeFile(script, `#!/bin/sh\necho ran > ${mark}\ncat "$@"\n`);
    await chmod(script, 0o755);
    for (const value of [
      `--pre=${script}`,
      `-e x --pre=${script}`,
      `--hostname-bin=${script}`,
      "--",
      "-f/etc/passwd",
    ]) {
      const { state, text } = await world.call(new Grep(), { pattern: "needle", [field]: value });
      expect(["success", "error"]).toContain(state);
      expect(text).not.toContain("root:");
    }
    await expect(access(mark)).rejects.toThrow("ENOENT");
  });

  it("nor does a configuration file have a say", async () => {
    await using world = await commandWorld(
      { ...files, rc: "--files-without-match\n" },
      {
        env: { RIPGREP_CONFIG_PATH: "rc" },
        inherit: ["RIPGREP_CONFIG_PATH"],
      },
    );
    expect((await world.call(new Grep(), { pattern: "needle", path: "b.js" })).text).toBe(
      `${world.folder}/b.js`,
    );
  });
});

describe("ignored files", () => {
  const repository = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".gitignore": "dist/\nbuild/**\n*.log\n",
    "a.ts": "needle\n",
    "dist/a.js": "needle\n",
    "build/deep/b.js": "needle\n",
    "secret.log": "password needle\n",
  };

  it("are counted and named, with results and without", async () => {
    await using world = await commandWorld(repository);
    for (const pattern of ["needle", "password"]) {
      const { text } = await world.call(new Grep(), { pattern });
      const note = text.split("\n").at(-1)?.replaceAll(world.folder, "$");
      expect(note).toMatch(/^\[3 ignored entries were not searched: .*\. Set no_ignore to search them\.\]$/);
      for (const name of ["$/dist", "$/build/deep", "$/secret.log"]) expect(note).toContain(name);
    }
  });

  it("are searched with no_ignore", async () => {
    await using world = await commandWorld(repository);
    const { text } = await world.call(new Grep(), { pattern: "password", no_ignore: true });
    expect(text).toBe(`${world.folder}/secret.log`);
  });

  it.each([
    ["an ignored file", "secret.log", "secret.log"],
    ["an ignored directory", "dist", "dist/a.js"],
    ["a directory whose content is ignored", "build", "build/deep/b.js"],
    ["a directory below that", "build/deep", "build/deep/b.js"],
  ])("are searched when the path names %s", async (_title, path, found) => {
    await using world = await commandWorld(repository);
    const { text } = await world.call(new Grep(), { pattern: "needle", path });
    expect(text.split("\n")[0]).toBe(join(world.folder, found));
  });
});

describe("Grep's limits", () => {
  it("of time give what was found, and say so", async () => {
    await using world = await worldWithSearcher("printf './a.ts\\n./b.ts\\n./cut'; exec sleep 315");
    const started = performance.now();
    const { text, state, metadata } = await world.call(new Grep({ budgetMs: 300 }), { pattern: "x" });
    expect(performance.now() - started).toBeLessThan(5000);
    expect({ text, state, metadata }).toEqual({
      text:
        `${world.folder}/a.ts\n${world.folder}/b.ts\n` +
        "[The search was stopped after 0.3 s, so these are not all. Narrow the path, glob or type.]",
      state: "success",
      metadata: { lines: 2, total: 2, complete: false },
    });
  });

  it("hold for the whole machine, without what the kernel makes up", async () => {
    await using world = await commandWorld();
    const started = performance.now();
    const { text } = await world.call(new Grep({ budgetMs: 500 }), { pattern: "x{999}y", path: "/" });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(text).toContain("[Not searched: /proc, /sys, /dev.]");
  });

  it("leave the first matches of a large file where all lines match", async () => {
    await using world = await commandWorld({ "big.txt": Buffer.alloc(100_000_000, "x\n") });
    const input = { pattern: "x", output_mode: "content", head_limit: 1 };
    const { text, metadata } = await world.call(new Grep({ budgetMs: 8000 }), input);
    expect(text.split("\n")[0]).toBe(`${world.folder}/big.txt:1:x`);
    expect(text).toContain("The search was stopped at 4 MB of results");
    expect(metadata.complete).toBe(false);
  });

  it("don't have to hold for pipes and devices, which are never opened", async () => {
    await using world = await commandWorld();
    await world.call(new Bash(), { command: "mkfifo pipe" });
    for (const path of [`${world.folder}/pipe`, "/dev/zero"]) {
      expect(await world.call(new Grep(), { pattern: "x", path })).toMatchObject({
        text: `${path} is a device, pipe or socket, which isn't searched.`,
        code: "not_a_file",
      });
    }
    expect((await world.call(new Grep(), { pattern: "x" })).text).toBe("No matches for x.");
  });

  it("are said where there is no ripgrep", async () => {
    await using world = await worldWithSearcher(undefined);
    expect(await world.call(new Grep(), { pattern: "x" })).toMatchObject({
      text: "There is no ripgrep (rg) in elsewhere. Install ripgrep there, or search with Bash (grep -rn, find).",
      code: "missing_dependency",
    });
  });
});

describe("Grep looks", () => {
  it("in the working directory, not in home, when no path is given, and states what it reads", async () => {
    await using world = await commandWorld(files);
    const grep = new Grep();
    world.state.cwd = join(world.folder, "src");
    expect((await world.call(grep, { pattern: "needle" })).text).toBe(`${world.folder}/src/d.ts`);
    expect(grep.effects({ pattern: "x" }, world.judging())).toEqual([
      { kind: "read", path: join(world.folder, "src"), recursive: true, filtered: true },
    ]);
    expect(grep.effects({ pattern: "x", path: "../a.ts" }, world.judging())).toEqual([
      { kind: "read", path: join(world.folder, "a.ts"), recursive: true, filtered: true },
    ]);
  });

  it("not through links out of the tree, unless a link is named", async () => {
    await using world = await commandWorld({ "in/a": "x\n", "out/b": "needle\n" });
    await symlink(join(world.folder, "out"), join(world.folder, "in/link"));
    const grep = new Grep();
    expect((await world.call(grep, { pattern: "needle", path: "in" })).text).toBe("No matches for needle.");
    expect((await world.call(grep, { pattern: "needle", path: "in/link" })).text).toBe(
      `${world.folder}/in/link/b`,
    );
  });

  it("past files that may not be read unasked, unless path names one, and never tells whether they match", async () => {
    await using world = await commandWorld({ ".env": "a needle\nkey=1\n", "b.txt": "needle\n" });
    const context = { mayRead: (paths: readonly string[]) => paths.map((path) => !path.endsWith(".env")) };
    const grep = new Grep();
    for (const input of [{ pattern: "needle" }, { pattern: "needle", output_mode: "count" }]) {
      const { text } = await world.call(grep, input, context);
      expect(text.replace(/:1$/, "")).toBe(`${world.folder}/b.txt`);
    }
    const [held, absent] = [
      await world.call(grep, { pattern: "key=1" }, context),
      await world.call(grep, { pattern: "key=2" }, context),
    ];
    expect(held.text.replace("key=1", "key=2")).toBe(absent.text);
    expect(held.metadata).toEqual(absent.metadata);
    expect((await world.call(grep, { pattern: "key", path: ".env" }, context)).text).toBe(
      `${world.folder}/.env`,
    );
  });

  it("past what it may not read, and says so", async () => {
    await using world = await worldWithSearcher(
      "echo ./a.ts; echo 'rg: ./locked: Permission denied (os error 13)' >&2; exit 2",
    );
    const { text, state } = await world.call(new Grep(), { pattern: "needle" });
    expect({ text, state }).toEqual({
      text:
        `${world.folder}/a.ts\n` +
        "[1 path could not be read, such as rg: ./locked: Permission denied (os error 13)]",
      state: "success",
    });
  });
});
