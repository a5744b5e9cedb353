import { symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileWorld, localWorld, type Outcome, WORLDS } from "../../test/file-world.ts";
import { newState } from "../state.ts";
import type { ToolInput } from "../tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { WriteFile } from "./assistant/write-file.ts";
import { Memory } from "./memory.ts";

const NAME = "memory/MEMORY.md";
const TODAY = /^\d{4}-\d{2}-\d{2}/;

describe.each(WORLDS)("memory on the backend $name", ({ open }) => {
  let world: FileWorld;
  let memory: Memory;
  beforeEach(() => {
    world = open();
    memory = new Memory({ indexDirectory: false });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const run = (input: ToolInput): Promise<Outcome> => world.run(memory, input);
  const said = async (input: ToolInput): Promise<string> => (await run(input)).text;

  it("writes, finds, reads, changes and deletes", async () => {
    expect(await said({ action: "read" })).toBe("The memory is empty.");
    expect(await said({ action: "search", keywords: "tea" })).toBe('No entry matches "tea".');
    expect(await said({ action: "write", content: "likes tea；lives in Bern" })).toBe(
      "Written at line 1 (1 entry in all).",
    );
    expect(await said({ action: "write", content: "works at ACME\nsince 2024" })).toBe(
      "Written at line 2 (2 entries in all).",
    );
    const day = TODAY.exec(await world.text(NAME))?.[0];
    expect(await said({ action: "search", keywords: "acme" })).toBe(
      `1 entry matches:\n[2] ${day}|web-chat|works at ACME\n    since 2024`,
    );
    expect(await said({ action: "search", keywords: "tea acme", match_mode: "and" })).toBe(
      'No entry matches "tea" and "acme".',
    );
    expect(await said({ action: "read", recent_count: 1 })).toBe(
      `2 entries, of ${day}. The last 1:\n[2] ${day}|web-chat|works at ACME\n    since 2024`,
    );
    expect(await said({ action: "read", start_line: 1 })).toBe(
      `2 entries, of ${day}.\n[1] ${day}|web-chat|likes tea；lives in Bern`,
    );
    expect(await said({ action: "update", start_line: 1, content: "likes coffee" })).toBe("Updated line 1.");
    expect(await said({ action: "delete", start_line: 2 })).toBe(
      "Deleted the entry in line 2. The other lines keep their numbers.",
    );
    expect(await world.text(NAME)).toBe(`${day}|web-chat|likes coffee\n\n`);
    expect(await said({ action: "search", keywords: "tea" })).toBe('No entry matches "tea".');
  });

  it("tells programs the facts", async () => {
    await world.put(NAME, "2026-01-02|qq|a|b\n- by hand\n2025-01-01|web|tea\n");
    expect((await run({ action: "search", keywords: "tea hand" })).metadata).toEqual({
      total: 2,
      entries: [
        { line: 3, date: "2025-01-01", source: "web", content: "tea" },
        { line: 2, content: "- by hand" },
      ],
    });
    expect((await run({ action: "stats" })).metadata).toMatchObject({
      total: 3,
      sources: { qq: 1, web: 1 },
      date_range: { first: "2025-01-01", last: "2026-01-02" },
    });
    const { content, version } = (await run({ action: "export" })).metadata;
    expect(content).toBe(await world.text(NAME));
    expect(
      (await run({ action: "replace", content: "new\n", version: String(version) })).code,
    ).toBeUndefined();
    expect((await run({ action: "replace", content: "newer\n", version: String(version) })).code).toBe(
      "stale",
    );
    expect(await world.text(NAME)).toBe("new\n");
  });
});

describe("what a call may ask for", () => {
  let world: FileWorld;
  let toolkit: Toolkit;
  beforeEach(() => {
    world = localWorld();
    toolkit = new Toolkit({
      backend: world.backend,
      tools: [new Memory({ indexDirectory: false })],
      mode: "acceptEdits",
    });
  });
  afterEach(async () => {
    await toolkit[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  it.each([
    [{}, "`action` is missing"],
    [{ action: "find" }, "`action` expected one of write, search, read, update, delete"],
    [{ action: "write" }, "`content` is missing; write needs it"],
    [{ action: "write", content: " \n" }, "`content` is blank"],
    [{ action: "write", content: 7 }, "`content` expected a text, got number 7"],
    [{ action: "search" }, "`keywords` is missing"],
    [
      { action: "search", keywords: "a", max_results: 0 },
      "`max_results` expected a whole number from 1 to 1000, got number 0",
    ],
    [{ action: "search", keywords: "a", max_results: -1 }, "got number -1"],
    [{ action: "search", keywords: "a", max_results: 1.5 }, "got number 1.5"],
    [{ action: "search", keywords: "a", max_results: true }, "expected a whole number"],
    [{ action: "search", keywords: "a", match_mode: "xor" }, "`match_mode` expected one of or, and"],
    [
      { action: "search", keywords: "a", date_from: "2026-02-30" },
      "`date_from` expected a day as YYYY-MM-DD",
    ],
    [{ action: "search", date_from: "2026-02-03", date_to: "2026-02-02" }, "`date_to` is before date_from"],
    [{ action: "read", recent_count: 0 }, "`recent_count` expected a whole number from 1 to 1000"],
    [{ action: "read", recent_count: -5 }, "got number -5"],
    [{ action: "read", start_line: 0 }, "`start_line` expected a line's number, from 1"],
    [{ action: "read", start_line: 5, end_line: 4 }, "`end_line` is before start_line"],
    [{ action: "read", start_line: 1, end_line: 5000 }, "1000 lines at a time"],
    [{ action: "read", end_line: 5 }, "`end_line` needs start_line"],
    [{ action: "update", content: "x" }, "`start_line` is missing"],
    [{ action: "delete" }, "`start_line` is missing"],
    [{ action: "read", limit: 5 }, "`limit` isn't known"],
  ])("%j is refused", async (input, message) => {
    const { text, metadata } = await toolkit.execute("memory", input);
    expect([text, metadata.code]).toEqual([expect.stringContaining(message), "invalid_input"]);
  });

  it("nothing is what a member that is null says", async () => {
    const input = { action: "read", start_line: null, source: null };
    expect((await toolkit.execute("memory", input)).text).toBe("The memory is empty.");
  });

  it("is answered beyond the end by how much there is, not with another line", async () => {
    await world.put(NAME, "2026-01-02|qq|tea\n");
    const { text } = await toolkit.execute("memory", { action: "read", start_line: 7, end_line: 9 });
    expect(text).toBe("1 entry, of 2026-01-02. There is no entry in the lines 7 to 9; the last line is 1.");
  });

  it("is bounded, and says what was left out", async () => {
    await world.put(NAME, `2026-01-02|qq|${"tea ".repeat(2000)}needle ${"x".repeat(5000)}\n`.repeat(20));
    const read = await toolkit.execute("memory", { action: "read", recent_count: 20 });
    expect(read.text.length).toBeLessThan(45_000);
    expect(read.text).toMatch(/\[\d+ more entries: ask for fewer at a time\.\]$/);
    const found = await toolkit.execute("memory", { action: "search", keywords: "needle", max_results: 2 });
    expect(found.text).toContain("20 entries match; the best 2, of equals the newest first:");
    expect(found.text).toMatch(/\[20\] 2026-01-02\|qq\|….*needle.*… \[part of line 20\]/);
    expect(found.text.length).toBeLessThan(1500);
  });
});

describe("lines that are changed by their number", () => {
  let world: FileWorld;
  const memory = new Memory({ indexDirectory: false });
  beforeEach(async () => {
    world = localWorld();
    await world.put(NAME, "2026-01-02|qq|tea\n2026-01-02|qq|coffee\n");
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it("have to be known", async () => {
    expect(await world.run(memory, { action: "delete", start_line: 2 })).toMatchObject({ code: "not_read" });
    await world.run(memory, { action: "search", keywords: "coffee" });
    expect((await world.run(memory, { action: "delete", start_line: 2 })).code).toBeUndefined();
    // Another session hasn't seen it.
    const other = newState({ cwd: world.root });
    const update = { action: "update", start_line: 1, content: "x" };
    expect((await world.run(memory, update, other)).code).toBe("not_read");
  });

  it("aren't touched when somebody has moved them", async () => {
    await world.run(memory, { action: "read" });
    await world.put(NAME, `- new\n${await world.text(NAME)}`);
    expect(await world.run(memory, { action: "delete", start_line: 2 })).toMatchObject({ code: "stale" });
    expect(await world.run(memory, { action: "update", start_line: 1, content: "x" })).toMatchObject({
      code: "stale",
    });
    expect(await world.text(NAME)).toBe("- new\n2026-01-02|qq|tea\n2026-01-02|qq|coffee\n");
  });

  it("can be deleted one after the other by the numbers of one search", async () => {
    await world.run(memory, { action: "search", keywords: "tea coffee" });
    await world.run(memory, { action: "delete", start_line: 1 });
    await world.run(memory, { action: "delete", start_line: 2 });
    expect(await world.text(NAME)).toBe("\n\n");
    expect((await world.run(memory, { action: "delete", start_line: 2 })).code).toBe("not_found");
  });

  it("are known to who has written them", async () => {
    await world.run(memory, { action: "write", content: "juice" });
    expect(
      (await world.run(memory, { action: "update", start_line: 3, content: "water" })).code,
    ).toBeUndefined();
    expect((await world.run(memory, { action: "delete", start_line: 3 })).code).toBeUndefined();
  });
});

describe("secrets", () => {
  it.each([
    ["a token", "use ghp_abcdefghijklmnopqrstuvwxyz0123", "GitHub token"],
    ["a password", "password=hunter2 for the printer", "assignment of a secret"],
  ])("%s isn't remembered", async (_what, content, kind) => {
    await using world = localWorld();
    const memory = new Memory({ indexDirectory: false });
    const { code, text } = await world.run(memory, { action: "write", content });
    expect(code).toBe("invalid_input");
    expect(text).toContain(`a secret (${kind}); nothing was written. The memory is a plain file`);
    const keeping = new Memory({ indexDirectory: false, keepsSecrets: true });
    expect((await world.run(keeping, { action: "write", content })).code).toBeUndefined();
  });

  it("doesn't take ordinary notes for secrets", async () => {
    await using world = localWorld();
    const memory = new Memory({ indexDirectory: false });
    for (const content of [
      "the password is in the safe",
      "用户喜欢喝绿茶",
      "token budget of 5k a day",
      "-p is for port",
    ]) {
      expect((await world.run(memory, { action: "write", content })).code).toBeUndefined();
    }
  });
});

describe("the source", () => {
  it.each([
    ["a channel's name", { source: "telegram" }, "s1", "telegram"],
    ["what it says of itself", { source: () => "a|b\nc" }, "s1", "a_b c"],
    ["a session's name", {}, "shopping", "shopping"],
    ["no name", {}, crypto.randomUUID(), "web-chat"],
  ])("is %s", async (_what, options, sessionId, source) => {
    await using world = localWorld();
    const memory = new Memory({ indexDirectory: false, ...options });
    const state = newState({ cwd: world.root, sessionId });
    await world.run(memory, { action: "write", content: "tea" }, state);
    expect((await world.text(NAME)).split("|")[1]).toBe(source);
  });

  it("is each session's own when they share the tool", async () => {
    await using world = localWorld();
    const memory = new Memory({ indexDirectory: false });
    const names = Array.from({ length: 8 }, (_, at) => `session${at}`);
    await Promise.all(
      names.map((sessionId) =>
        world.run(
          memory,
          { action: "write", content: `of ${sessionId}` },
          newState({ cwd: world.root, sessionId }),
        ),
      ),
    );
    const lines = (await world.text(NAME)).trim().split("\n");
    expect(lines).toHaveLength(8);
    for (const line of lines) expect(line).toMatch(/\|(session\d)\|of \1$/);
  });
});

describe("through the gate", () => {
  let world: FileWorld;
  beforeEach(() => {
    world = localWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());
  const toolkitWith = (options: ConstructorParameters<typeof Toolkit>[0]): Toolkit =>
    new Toolkit({ backend: world.backend, tools: [new Memory({ indexDirectory: false })], ...options });

  it("reading is free, writing is an edit of the file", async () => {
    await using toolkit = toolkitWith({});
    expect((await toolkit.execute("memory", { action: "read" })).state).toBe("success");
    expect((await toolkit.execute("memory", { action: "search", keywords: "a" })).state).toBe("success");
    const write = { action: "write", content: "tea" };
    expect((await toolkit.execute("memory", write)).metadata.code).toBe("approval_required");
    toolkit.addRules({ toolName: "Edit", ruleContent: "memory/**", behavior: "allow", source: "session" });
    expect((await toolkit.execute("memory", write)).state).toBe("success");
  });

  it.each([
    ["acceptEdits", {}, "success", "success"],
    ["explore", {}, "success", "denied"],
    ["acceptEdits", { rules: ["deny:Edit(memory/**)"] }, "success", "denied"],
    ["acceptEdits", { rules: ["deny:Read(memory/**)"] }, "denied", "success"],
    ["acceptEdits", { additionalDangerousFiles: ["MEMORY.md"] }, "denied", "denied"],
  ] as const)("in mode %s with %j", async (mode, options, reads, writes) => {
    await using toolkit = toolkitWith({ mode, ...options });
    const stateOf = async (input: Record<string, string>): Promise<string> =>
      (await toolkit.execute("memory", input)).state;
    expect(await stateOf({ action: "read" })).toBe(reads);
    expect(await stateOf({ action: "write", content: "tea" })).toBe(writes);
  });

  it("stays in the workspace, and where it was judged", async () => {
    const outside = localWorld();
    symlinkSync(outside.root, world.path("memory"));
    await using toolkit = toolkitWith({ mode: "bypass" });
    for (const input of [{ action: "read" }, { action: "write", content: "tea" }]) {
      expect((await toolkit.execute("memory", input)).state).toBe("denied");
    }
    await outside[Symbol.asyncDispose]();
  });

  it("is the project's, wherever commands stand by now", async () => {
    await using toolkit = toolkitWith({ mode: "acceptEdits" });
    await world.put("sub/x", "");
    toolkit.state.cwd = world.path("sub");
    await toolkit.execute("memory", { action: "write", content: "tea" });
    expect(await world.text(NAME)).toContain("|tea\n");
  });

  it("follows on write_file, and write_file on it", async () => {
    await using toolkit = toolkitWith({ mode: "acceptEdits" });
    toolkit.register([new WriteFile()]);
    const calls = Array.from({ length: 12 }, (_, at) =>
      at % 2 === 0
        ? toolkit.execute("memory", { action: "write", content: `entry ${at}` })
        : toolkit.execute("write_file", { path: NAME, content: `- note ${at}\n`, mode: "append" }),
    );
    expect((await Promise.all(calls)).map(({ state }) => state)).toEqual(Array(12).fill("success"));
    expect((await world.text(NAME)).trim().split("\n")).toHaveLength(12);
    const found = await toolkit.execute("memory", {
      action: "search",
      keywords: "entry note",
      max_results: 20,
    });
    expect(found.metadata.total).toBe(12);
  });
});
