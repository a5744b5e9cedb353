import { symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandWorld, worldWithSearcher } from "../../test/command-world.ts";
import type { JsonObject } from "../lib/json.ts";
import { Glob } from "./glob.ts";

const files = {
  "a.ts": "",
  "b.js": "",
  "src/c.ts": "",
  "src/deep/d.tsx": "",
  "src/deep/[id].ts": "",
  ".hidden/e.ts": "",
  ".env": "",
  ".git/f.ts": "",
  ".gitignore": "ignored/\n*.log\n",
  "ignored/g.ts": "",
  "h.log": "",
  "node_modules/pkg/i.ts": "",
  "node_modules/pkg/node_modules/j.ts": "",
};

interface Row {
  readonly title: string;
  readonly input: JsonObject;
  readonly found: readonly string[];
}

const rows: readonly Row[] = [
  { title: "a plain pattern stays in its directory", input: { pattern: "*.ts" }, found: ["a.ts"] },
  {
    title:
      "two stars are any depth, none included; hidden and ignored files are found, .git and node_modules not",
    input: { pattern: "**/*.ts" },
    found: ["a.ts", "src/c.ts", "src/deep/[id].ts", ".hidden/e.ts", "ignored/g.ts"],
  },
  {
    title: "ignored files are left out on request",
    input: { pattern: "**/*.ts", respect_gitignore: true },
    found: ["a.ts", "src/c.ts", "src/deep/[id].ts", ".hidden/e.ts"],
  },
  { title: "an existing ignored file is found by name", input: { pattern: "h.log" }, found: ["h.log"] },
  { title: "a hidden file is found by name", input: { pattern: ".env" }, found: [".env"] },
  { title: "braces", input: { pattern: "**/*.{js,tsx}" }, found: ["b.js", "src/deep/d.tsx"] },
  {
    title: "braces over directories",
    input: { pattern: "{src,ignored}/*.ts" },
    found: ["src/c.ts", "ignored/g.ts"],
  },
  { title: "a class of characters", input: { pattern: "[a-b].*" }, found: ["a.ts", "b.js"] },
  { title: "one character", input: { pattern: "?.js" }, found: ["b.js"] },
  { title: "an escaped bracket", input: { pattern: "**/\\[id\\].ts" }, found: ["src/deep/[id].ts"] },
  {
    title: "a leading slash is the base's own",
    input: { pattern: "/*.ts", path: "src" },
    found: ["src/c.ts"],
  },
  { title: "a leading ./", input: { pattern: "./src/*.ts" }, found: ["src/c.ts"] },
  { title: "a path", input: { pattern: "*.tsx", path: "src/deep" }, found: ["src/deep/d.tsx"] },
  {
    title: "node_modules when the pattern names it",
    input: { pattern: "node_modules/**/*.ts" },
    found: ["node_modules/pkg/i.ts", "node_modules/pkg/node_modules/j.ts"],
  },
  {
    title: "node_modules when the path names it",
    input: { pattern: "*.ts", path: "node_modules/pkg" },
    found: ["node_modules/pkg/i.ts"],
  },
  { title: ".git when the pattern names it", input: { pattern: ".git/*" }, found: [".git/f.ts"] },
  {
    title: "a pattern that begins with an exclamation mark is no negation",
    input: { pattern: "!a.ts" },
    found: [],
  },
  { title: "a pattern that looks like an option is none", input: { pattern: "--pre=./x" }, found: [] },
];

describe("Glob finds", () => {
  it.each(rows)("$title", async ({ input, found }) => {
    await using world = await commandWorld(files);
    const { text, state, metadata } = await world.call(new Glob(), input);
    const lines = text.split("\n").filter((line) => line.startsWith("/"));
    expect(lines.sort()).toEqual(found.map((name) => join(world.folder, name)).sort());
    expect({ state, total: metadata.total }).toEqual({ state: "success", total: found.length });
  });

  it("newest first", async () => {
    await using world = await commandWorld({ "old.ts": "", "new.ts": "", "middle.ts": "" });
    for (const [name, time] of [
      ["old.ts", 1000],
      ["middle.ts", 2000],
      ["new.ts", 3000],
    ] as const) {
      await utimes(join(world.folder, name), time, time);
    }
    const { text } = await world.call(new Glob(), { pattern: "*.ts" });
    expect(text).toBe(["new.ts", "middle.ts", "old.ts"].map((name) => join(world.folder, name)).join("\n"));
  });

  it("absolute patterns and patterns that climb, and states the directory it really lists", async () => {
    await using world = await commandWorld(files);
    world.state.cwd = join(world.folder, "src/deep");
    const glob = new Glob();
    for (const [pattern, base, found] of [
      [`${world.folder}/src/**/*.tsx`, "src", "src/deep/d.tsx"],
      ["../*.ts", "src", "src/c.ts"],
      ["../../*.js", ".", "b.js"],
    ] as const) {
      expect((await world.call(glob, { pattern })).text).toBe(join(world.folder, found));
      expect(glob.effects({ pattern }, world.judging())).toEqual([
        { kind: "list", path: join(world.folder, base), recursive: true },
      ]);
    }
  });

  it("what is in a linked directory only when the link is named", async () => {
    await using world = await commandWorld({ "real/a.ts": "" });
    await symlink(join(world.folder, "real"), join(world.folder, "link"));
    const glob = new Glob();
    expect((await world.call(glob, { pattern: "**/*.ts" })).text).toBe(join(world.folder, "real/a.ts"));
    expect((await world.call(glob, { pattern: "*.ts", path: "link" })).text).toBe(
      join(world.folder, "link/a.ts"),
    );
  });

  it("a thousand files at most, and says how many there are", async () => {
    const many = Object.fromEntries(Array.from({ length: 1005 }, (_, n) => [`d/${n}.ts`, ""]));
    await using world = await commandWorld(many);
    const { text, metadata } = await world.call(new Glob(), { pattern: "**/*.ts" });
    const lines = text.split("\n");
    expect(lines.length).toBe(1001);
    expect(lines.at(-1)).toBe(
      "[The 1000 newest of 1005 files. A narrower pattern or path shows the others.]",
    );
    expect(metadata).toEqual({ files: 1000, total: 1005, complete: true });
  });
});

describe("Glob answers", () => {
  it("that nothing matches, and where it didn't look", async () => {
    await using world = await commandWorld(files);
    const { text, state } = await world.call(new Glob(), { pattern: "*.none" });
    expect({ text, state }).toEqual({
      text:
        `No files match *.none below ${world.folder}.\n` +
        "[Not looked into, unless path or pattern names them: .git, .svn, .hg, .bzr, .jj, .sl, node_modules.]",
      state: "success",
    });
  });

  it("that nothing matches when the pattern's own directory is missing", async () => {
    await using world = await commandWorld();
    expect(await world.call(new Glob(), { pattern: "nowhere/*.ts" })).toMatchObject({
      text: `No files match *.ts below ${world.folder}/nowhere.`,
      state: "success",
    });
  });

  it.each([
    ["a missing path", { pattern: "*", path: "nowhere" }, "not_found"],
    ["a file as path", { pattern: "*", path: "a.ts" }, "not_a_directory"],
    ["an empty pattern", { pattern: " " }, "invalid_input"],
    ["a NUL in the pattern", { pattern: "a\0b" }, "invalid_input"],
    ["a NUL in the path", { pattern: "*", path: "a\0b" }, "invalid_input"],
    ["a climb behind a wildcard", { pattern: "*/../x" }, "invalid_input"],
    ["a broken pattern", { pattern: "*.{ts" }, "invalid_input"],
  ])("%s with an error", async (_title, input, code) => {
    await using world = await commandWorld({ "a.ts": "" });
    expect(await world.call(new Glob(), input)).toMatchObject({ state: "error", code });
  });

  it("names in one line each, whatever they hold", async () => {
    await using world = await commandWorld({ "two\nlines.ts": "", "-x.ts": "" });
    const { text } = await world.call(new Glob(), { pattern: "*.ts" });
    expect(text.split("\n").sort()).toEqual([`${world.folder}/-x.ts`, `${world.folder}/two\\nlines.ts`]);
  });

  it("what it found first when sorting takes too long, and says so", async () => {
    const script =
      'case "$*" in *--sortr*) exec sleep 316;; *) printf "./a.ts\\0./b.ts\\0"; exec sleep 317;; esac';
    await using world = await worldWithSearcher(script);
    const { text, metadata } = await world.call(new Glob({ budgetMs: 400 }), { pattern: "*.ts" });
    expect(text).toBe(
      `${world.folder}/a.ts\n${world.folder}/b.ts\n` +
        "[Time ran out: not everything was looked at, and the order is not by time. Give a narrower path.]",
    );
    expect(metadata).toEqual({ files: 2, total: 2, complete: false });
  });

  it("as interrupted when it is cancelled", async () => {
    await using world = await commandWorld(files);
    const outcome = await world.call(new Glob(), { pattern: "**" }, { signal: AbortSignal.abort() });
    expect(outcome.state).not.toBe("success");
  });
});
