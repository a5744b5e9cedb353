import { chmodSync, statSync, utimesSync } from "node:fs";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { localWorld, WORLDS } from "../../test/file-world.ts";
import type { Backend } from "../backend.ts";
import { newState } from "../state.ts";
import { Edit } from "./edit.ts";
import { Read } from "./read.ts";
import { Write } from "./write.ts";

describe.each(WORLDS)("Write on $name", ({ open }) => {
  it("makes a file with its directories, without a read before", async () => {
    await using world = open();
    const outcome = await world.run(new Write(), { file_path: "a/b/c.txt", content: "one\ntwo\n" });
    expect(outcome.text).toBe("Created ROOT/a/b/c.txt (2 lines).");
    expect(await world.text("a/b/c.txt")).toBe("one\ntwo\n");
    const path = world.path("a/b/c.txt");
    expect(outcome.metadata).toEqual({
      file_path: path,
      occurrences: 1,
      created: true,
      diff: `--- /dev/null\n+++ b${path}\n@@ -0,0 +1,2 @@\n+one\n+two\n`,
    });
  });

  it("replaces a file that was read", async () => {
    await using world = open();
    const path = await world.put("a.txt", "one\ntwo\nthree\n");
    await world.run(new Read(), { file_path: "a.txt" });
    const outcome = await world.run(new Write(), { file_path: "a.txt", content: "one\n2\nthree\n" });
    expect(outcome.text).toBe("Wrote ROOT/a.txt (3 lines).");
    expect(await world.text("a.txt")).toBe("one\n2\nthree\n");
    expect(outcome.metadata.diff).toBe(
      `--- a${path}\n+++ b${path}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n`,
    );
  });

  it("refuses to replace a file that was not read", async () => {
    await using world = open();
    await world.put("a.txt", "mine");
    expect(await world.run(new Write(), { file_path: "a.txt", content: "x" })).toMatchObject({
      code: "not_read",
      text: "ROOT/a.txt exists and has not been read in this session. Read it first, then make this call again.",
    });
    expect(await world.text("a.txt")).toBe("mine");
  });

  it("refuses to replace content that the session hasn't seen", async () => {
    await using world = open();
    await world.put("a.txt", "one");
    await world.run(new Read(), { file_path: "a.txt" });
    await world.put("a.txt", "two");
    expect(await world.run(new Write(), { file_path: "a.txt", content: "x" })).toMatchObject({
      code: "stale",
      text: "ROOT/a.txt has changed since it was read. Read it again, then make this call again with what it says now.",
    });
    expect(await world.text("a.txt")).toBe("two");
  });

  it("doesn't let one agent erase what another wrote meanwhile", async () => {
    await using world = open();
    const other = newState({ cwd: world.root });
    await world.put("a.txt", "start");
    await world.run(new Read(), { file_path: "a.txt" });
    await world.run(new Read(), { file_path: "a.txt" }, other);
    await world.run(new Write(), { file_path: "a.txt", content: "of the other" }, other);
    expect((await world.run(new Write(), { file_path: "a.txt", content: "mine" })).code).toBe("stale");
    expect(await world.text("a.txt")).toBe("of the other");
  });

  it("takes the same content written again for unchanged", async () => {
    await using world = open();
    await world.put("a.txt", "same");
    await world.run(new Read(), { file_path: "a.txt" });
    await world.put("a.txt", "same");
    expect((await world.run(new Write(), { file_path: "a.txt", content: "new" })).code).toBeUndefined();
  });

  it("needs no new read after its own write", async () => {
    await using world = open();
    await world.run(new Write(), { file_path: "a.txt", content: "one" });
    await world.run(new Write(), { file_path: "a.txt", content: "two" });
    await world.run(new Edit(), { file_path: "a.txt", old_string: "two", new_string: "three" });
    await world.run(new Edit(), { file_path: "a.txt", old_string: "three", new_string: "four" });
    expect(await world.text("a.txt")).toBe("four");
  });

  it("refuses when the file changes between the look and the write", async () => {
    await using world = open();
    await world.put("a.txt", "one");
    await world.run(new Read(), { file_path: "a.txt" });
    let raced = false;
    const racing: Backend = Object.assign(Object.create(world.backend), {
      writeFile: async (...given: Parameters<Backend["writeFile"]>) => {
        if (!raced) await world.put("a.txt", "someone else's");
        raced = true;
        return world.backend.writeFile(...given);
      },
    });
    const outcome = await world.run(new Write({ backend: racing }), { file_path: "a.txt", content: "mine" });
    expect(outcome.code).toBe("stale");
    expect(await world.text("a.txt")).toBe("someone else's");
  });

  it("refuses when a new file appears between the look and the write", async () => {
    await using world = open();
    const racing: Backend = Object.assign(Object.create(world.backend), {
      writeFile: async (...given: Parameters<Backend["writeFile"]>) => {
        await world.put("a.txt", "someone else's").catch(() => undefined);
        return world.backend.writeFile(...given);
      },
    });
    const outcome = await world.run(new Write({ backend: racing }), { file_path: "a.txt", content: "mine" });
    expect(outcome.code).toBe("not_read");
    expect(await world.text("a.txt")).toBe("someone else's");
  });

  it.each([
    ["windows-1252", false, "café\r\n"],
    ["utf-8", true, "naïve\n"],
    ["utf-16le", true, "añb\r\n"],
    ["Shift_JIS", false, "日本語のコメント\n"],
    ["GB18030", false, "你好，世界，测试文件\n"],
  ])("keeps the encoding %s, with mark: %s", async (encoding, addBOM, content) => {
    await using world = open();
    await world.put("a.txt", iconv.encode(content, encoding, { addBOM }));
    await world.run(new Read(), { file_path: "a.txt" });
    const next = `${content}second ${content}`;
    expect((await world.run(new Write(), { file_path: "a.txt", content: next })).code).toBeUndefined();
    expect(await world.get("a.txt")).toEqual(iconv.encode(next, encoding, { addBOM }));
  });

  it("doesn't double a byte order mark", async () => {
    await using world = open();
    await world.put("a.txt", "\ufeffone");
    await world.run(new Read(), { file_path: "a.txt" });
    await world.run(new Write(), { file_path: "a.txt", content: "\ufefftwo" });
    expect(await world.text("a.txt")).toBe("\ufefftwo");
  });

  it("writes nothing when the encoding lacks a character", async () => {
    await using world = open();
    const bytes = iconv.encode("café au lait, déjà vu\n", "windows-1252");
    await world.put("a.txt", bytes);
    await world.run(new Read(), { file_path: "a.txt" });
    expect(await world.run(new Write(), { file_path: "a.txt", content: "one\n日本" })).toMatchObject({
      code: "invalid_input",
      text: 'Line 2 of the new text holds "日" (U+65E5), which can\'t be written in windows-1252, the encoding of ROOT/a.txt. Nothing was written. Use another character, or convert the file first (iconv in Bash).',
    });
    expect(await world.get("a.txt")).toEqual(bytes);
  });

  it("refuses half a surrogate pair", async () => {
    await using world = open();
    const outcome = await world.run(new Write(), { file_path: "a.txt", content: "a\ud83d" });
    expect(outcome.code).toBe("invalid_input");
    expect(await world.run(new Read(), { file_path: "a.txt" })).toMatchObject({ code: "not_found" });
  });

  it("replaces a binary file once Read has said what it is", async () => {
    await using world = open();
    await world.put("a.bin", Buffer.from([0, 1, 2, 3]));
    const input = { file_path: "a.bin", content: "text now" };
    expect((await world.run(new Write(), input)).code).toBe("not_read");
    expect((await world.run(new Read(), { file_path: "a.bin" })).code).toBe("unsupported");
    expect((await world.run(new Write(), input)).code).toBeUndefined();
    expect(await world.text("a.bin")).toBe("text now");
  });

  it.each([
    ["Write", new Write(), { content: "x" }],
    ["Edit", new Edit(), { old_string: "", new_string: "x" }],
  ] as const)(
    "takes a path that ends in a slash for a directory, and %s makes no file of it",
    async (_name, tool, input) => {
      await using world = open();
      const outcome = await world.run(tool, { file_path: "new/", ...input });
      expect(outcome).toMatchObject({
        code: "invalid_input",
        text: "ROOT/new/ names a directory; file_path must name a file.",
      });
      await expect(world.backend.stat(world.path("new"))).rejects.toMatchObject({ code: "not_found" });
    },
  );

  it("refuses a directory as its target", async () => {
    await using world = open();
    await world.put("dir/x", "x");
    expect(await world.run(new Write(), { file_path: "dir", content: "x" })).toMatchObject({
      code: "not_a_file",
      text: "ROOT/dir is a directory; file_path must name a file.",
    });
  });

  it("writes through a link within the working directory, and states both paths", async () => {
    await using world = open();
    await world.put("AGENTS.md", "one");
    await world.link("AGENTS.md", "CLAUDE.md");
    await world.run(new Read(), { file_path: "CLAUDE.md" });
    const input = { file_path: "CLAUDE.md", content: "two" };
    expect(await new Write().effects(input, world.permissionContext())).toEqual([
      { kind: "write", path: world.path("CLAUDE.md") },
      { kind: "write", path: world.path("AGENTS.md") },
    ]);
    await world.run(new Write(), input);
    expect(await world.text("AGENTS.md")).toBe("two");
    expect((await world.backend.lstat(world.path("CLAUDE.md"))).kind).toBe("symlink");
  });

  it("never follows a link out of the working directories", async () => {
    await using world = open();
    const outside = `${world.root}-outside/target.txt`;
    await world.backend.writeFile(outside, Buffer.from("safe"), { parents: true });
    await world.link(outside, "link");
    const outcome = await world.run(new Write(), { file_path: "link", content: "x" });
    expect(outcome).toMatchObject({
      code: "permission_denied",
      text: "ROOT/link is a link to ROOT-outside/target.txt, outside the working directories. Give ROOT-outside/target.txt as file_path if that is the file you mean.",
    });
    expect(Buffer.from(await world.backend.readFile(outside)).toString()).toBe("safe");
    await world.backend.remove(`${world.root}-outside`, { recursive: true });
  });

  it("doesn't write where a link leads that was changed after the call was judged", async () => {
    await using world = open();
    await world.put("a", "a");
    await world.put("b", "b");
    await world.link("a", "link");
    await world.run(new Read(), { file_path: "a" });
    await world.run(new Read(), { file_path: "b" });
    const write = new Write();
    const input = { file_path: "link", content: "x" };
    await write.effects(input, world.permissionContext());
    await world.backend.remove(world.path("link"));
    await world.link("b", "link");
    expect((await world.runAs(write, input)).code).toBe("stale");
    expect(await world.text("b")).toBe("b");
  });

  it("states one write of the absolute path", async () => {
    await using world = open();
    const effects = await new Write().effects(
      { file_path: "x/../new.txt", content: "" },
      world.permissionContext(),
    );
    expect(effects).toEqual([{ kind: "write", path: world.path("new.txt") }]);
  });

  it("lets parallel writes of one file follow each other", async () => {
    await using world = open();
    await world.put("a.txt", "0");
    await world.run(new Read(), { file_path: "a.txt" });
    const contents = Array.from({ length: 10 }, (_, at) => "x".repeat(1000 * (10 - at)));
    const outcomes = await Promise.all(
      contents.map((content) => world.run(new Write(), { file_path: "a.txt", content })),
    );
    expect(outcomes.map(({ code }) => code)).toEqual(contents.map(() => undefined));
    expect(contents).toContain(await world.text("a.txt"));
  });

  it("writes nothing when it is stopped", async () => {
    await using world = open();
    const outcome = await world.run(
      new Write(),
      { file_path: "a.txt", content: "x" },
      world.state,
      AbortSignal.abort(),
    );
    expect(outcome.code).toBe("aborted");
    expect((await world.run(new Read(), { file_path: "a.txt" })).code).toBe("not_found");
  });
});

describe("Write on this machine", () => {
  it("keeps the mode, and takes a touch for no change", async () => {
    await using world = localWorld();
    const path = await world.put("run.sh", "echo 1\n");
    chmodSync(path, 0o755);
    await world.run(new Read(), { file_path: "run.sh" });
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    expect((await world.run(new Write(), { file_path: "run.sh", content: "echo 2\n" })).code).toBeUndefined();
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });
});
