import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { localWorld, WORLDS } from "../../test/file-world.ts";
import type { Backend } from "../backend.ts";
import { recall } from "./file/record.ts";
import { Read } from "./read.ts";

/** Lines as Read numbers them. */
const numbered = (from: number, to: number, text = (n: number): string => `line ${n}`): string =>
  Array.from(
    { length: to - from + 1 },
    (_, at) => `${String(from + at).padStart(6)}\t${text(from + at)}`,
  ).join("\n");

const content = (lines: number): string =>
  Array.from({ length: lines }, (_, at) => `line ${at + 1}\n`).join("");

describe.each(WORLDS)("Read on $name", ({ open }) => {
  it.each<[string, string | Buffer, Record<string, number>, string]>([
    ["numbers lines", "one\ntwo\n", {}, "     1\tone\n     2\ttwo"],
    ["shows a last line without an ending", "one\ntwo", {}, "     1\tone\n     2\ttwo"],
    ["shows empty lines", "\n\nx\n\n", {}, "     1\t\n     2\t\n     3\tx\n     4\t"],
    ["takes CRLF for one ending", "a\r\nb\r\n", {}, "     1\ta\n     2\tb"],
    ["takes a lone return for an ending only where there is no newline", "a\rb", {}, "     1\ta\n     2\tb"],
    ["leaves a lone return in a line alone", "10%\r20%\nend\n", {}, "     1\t10%\r20%\n     2\tend"],
    [
      "doesn't end lines at form feeds and Unicode separators",
      "a\f\v\u0085\u2028b\nc",
      {},
      "     1\ta\f\v\u0085\u2028b\n     2\tc",
    ],
    ["doesn't show a byte order mark", "\ufeffa\nb", {}, "     1\ta\n     2\tb"],
    ["says that a file is empty", "", {}, "[The file is empty.]"],
    [
      "starts at the offset",
      content(3),
      { offset: 3 },
      "     3\tline 3\n\n[Line 3 of 3: the end of the file.]",
    ],
    [
      "says how to go on",
      content(10),
      { offset: 2, limit: 3 },
      `${numbered(2, 4)}\n\n[Lines 2–4; more follow. Continue with offset=5.]`,
    ],
    [
      "says how long the file is when the offset is past its end",
      "a\nb\n",
      { offset: 9 },
      "[offset=9 is past the end: the file has 2 lines.]",
    ],
    [
      "shows invalid UTF-8 as such and says so",
      Buffer.concat([Buffer.from("größer, höher, weiter\n"), Buffer.from([0x61, 0xff, 0x0a])]),
      {},
      "     1\tgrößer, höher, weiter\n     2\ta\ufffd\n\n[Some bytes are not valid UTF-8 and are shown as \ufffd; Edit leaves them as they are.]",
    ],
    [
      "decodes Shift-JIS",
      iconv.encode("// 日本語のコメント\n", "Shift_JIS"),
      {},
      "     1\t// 日本語のコメント\n\n[Encoding: Shift_JIS; Edit and Write keep it.]",
    ],
    [
      "decodes UTF-16 with a mark",
      iconv.encode("añb\r\nc 🌍\r\n", "utf-16le", { addBOM: true }),
      {},
      "     1\tañb\n     2\tc 🌍\n\n[Encoding: utf-16le; Edit and Write keep it.]",
    ],
  ])("%s", async (_title, bytes, range, text) => {
    await using world = open();
    await world.put("file.txt", bytes);
    const outcome = await world.run(new Read(), { file_path: "file.txt", ...range });
    expect(outcome).toMatchObject({ text, code: undefined });
  });

  it("shows 2000 lines and says that more follow", async () => {
    await using world = open();
    await world.put("a.txt", content(5000));
    const { text, metadata } = await world.run(new Read(), { file_path: "a.txt" });
    expect(text).toBe(`${numbered(1, 2000)}\n\n[Lines 1–2000; more follow. Continue with offset=2001.]`);
    expect(metadata).toEqual({
      file_path: world.path("a.txt"),
      kind: "text",
      encoding: "utf-8",
      bom: false,
      lineEndings: "lf",
      startLine: 1,
      lines: 2000,
      more: true,
    });
  });

  it("clips one enormous line and says by how much", async () => {
    await using world = open();
    await world.put("min.js", `${"x".repeat(300_000)}é\nnext\n`);
    const { text } = await world.run(new Read(), { file_path: "min.js" });
    expect(text).toBe(
      `     1\t${"x".repeat(2000)}… [clipped: 298,002 more bytes]\n     2\tnext\n\n[A line is clipped at 2000 characters; Grep or Bash (cut -c) shows other parts.]`,
    );
  });

  it("never clips within a character", async () => {
    await using world = open();
    await world.put("a.txt", "🌍".repeat(10));
    const { text } = await world.run(new Read({ maxLineCharacters: 5 }), { file_path: "a.txt" });
    expect(text.split("\n")[0]).toBe("     1\t🌍🌍… [clipped: 32 more bytes]");
  });

  it("stops at a line's end when the answer is full", async () => {
    await using world = open();
    await world.put("a.txt", `${"y".repeat(90)}\n`.repeat(100));
    const { text } = await world.run(new Read({ maxAnswerCharacters: 1000 }), { file_path: "a.txt" });
    const lines = numbered(1, 10, () => "y".repeat(90));
    expect(text).toBe(`${lines}\n\n[Lines 1–10; more follow. Continue with offset=11.]`);
  });

  it("reads lines far into a file, and nothing behind them", async () => {
    await using world = open();
    const row = (n: number): string => `row ${n} ${"abcdefghij".repeat(8)}`;
    let whole = "";
    for (let n = 1; n <= 200_000; n += 1) whole += `${row(n)}\n`;
    await world.put("big.log", whole);
    let bytes = 0;
    const counting: Backend = Object.assign(Object.create(world.backend), {
      async *readStream(...given: Parameters<Backend["readStream"]>) {
        for await (const piece of world.backend.readStream(...given)) {
          bytes += piece.length;
          yield piece;
        }
      },
    });
    const read = new Read({ backend: counting });
    const { text } = await world.run(read, { file_path: "big.log", offset: 100_000, limit: 2 });
    expect(text).toBe(
      `${numbered(100_000, 100_001, row)}\n\n[Lines 100000–100001; more follow. Continue with offset=100002.]`,
    );
    expect(bytes).toBeLessThan(whole.length * 0.6);
    expect((await world.run(read, { file_path: "big.log", offset: 300_000 })).text).toBe(
      "[offset=300000 is past the end: the file has 200,000 lines.]",
    );
  });

  it("gives the file back by numbers and content", async () => {
    await using world = open();
    const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replace(/[\n\r\0]/g, ""));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 20 }), async (lines) => {
        await world.put("a.txt", `${lines.join("\n")}\n`);
        const { text, metadata } = await world.run(new Read(), { file_path: "a.txt" });
        if (metadata.kind !== "text") return;
        const shown = text.split("\n").slice(0, lines.length);
        expect(shown.map((row) => /^ *(\d+)\t(.*)$/su.exec(row)?.slice(1))).toEqual(
          lines.map((given, at) => [String(at + 1), at === 0 ? given.replace(/^\ufeff/, "") : given]),
        );
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [
      "says what is nearest to a missing file",
      "src/indx.ts",
      "not_found: ROOT/src/indx.ts doesn't exist. Did you mean ROOT/src/index.ts?",
    ],
    [
      "says that the directory is missing",
      "lib/deep/a.ts",
      "not_found: ROOT/lib/deep/a.ts doesn't exist, and neither does its directory ROOT/lib/deep. The nearest directory that exists is ROOT.",
    ],
    [
      "refuses a directory",
      "src",
      "not_a_file: ROOT/src is a directory. List it with Glob, or with ls in Bash.",
    ],
    [
      "refuses an empty path",
      "",
      "invalid_input: file_path must be a path, and it is empty or not a string.",
    ],
    ["refuses a NUL in a path", "a\0b", "invalid_input: file_path holds a NUL character."],
    [
      "refuses half a surrogate pair in a path",
      "a\ud800",
      "invalid_input: file_path holds half a surrogate pair, which no file's name can.",
    ],
    [
      "says what a binary is",
      "prog",
      "unsupported: ROOT/prog is no text: Linux program (ELF), 12 bytes. Its first bytes are 7f 45 4c 46 02 01 01 00 00 00 00 00. Use Bash with a program that knows the format.",
    ],
  ])("%s", async (_title, path, said) => {
    await using world = open();
    await world.put("src/index.ts", "x");
    await world.put("prog", Buffer.from("\x7fELF\x02\x01\x01\0\0\0\0\0", "latin1"));
    const { code, text } = await world.run(new Read(), { file_path: path });
    expect(`${code}: ${text}`).toBe(said);
  });

  it.each([
    ["resolves relative paths against the working directory", "./a/../b.txt"],
    ["takes an absolute path", "ROOT/b.txt"],
  ])("%s", async (_title, path) => {
    await using world = open();
    await world.put("b.txt", "here");
    const outcome = await world.run(new Read(), { file_path: path.replace("ROOT", world.root) });
    expect(outcome.text).toBe("     1\there");
  });

  it("resolves ~ to the backend's home", async () => {
    await using world = open();
    await world.put(`${world.backend.home}/notes.txt`, "home");
    expect((await world.run(new Read(), { file_path: "~/notes.txt" })).text).toBe("     1\thome");
  });

  it("follows a link, and states the read of the path that was asked for", async () => {
    await using world = open();
    await world.put("a.txt", "x");
    await world.link("a.txt", "link");
    expect((await world.run(new Read(), { file_path: "link" })).text).toBe("     1\tx");
    expect(await new Read().effects({ file_path: "x/../link" }, world.permissionContext())).toEqual([
      { kind: "read", path: world.path("link") },
    ]);
    expect(recall(world.state, world.backend, world.path("a.txt"))?.size).toBe(1);
  });

  it("doesn't follow a link that was changed after the call was judged", async () => {
    await using world = open();
    await world.put("other/a", "secret");
    await world.put("a", "open");
    await world.link("a", "link");
    const input = { file_path: "link" };
    const read = new Read();
    await read.effects(input, world.permissionContext());
    await world.backend.remove(world.path("link"));
    await world.link("other/a", "link");
    expect(await world.runAs(read, input)).toMatchObject({
      code: "stale",
      text: "ROOT/link led to ROOT/a when the call was judged, and now leads to ROOT/other/a. Make the call again, so that the new target is judged.",
    });
  });

  it("remembers what it read, with the version from before it read", async () => {
    await using world = open();
    const path = await world.put("a.txt", "x");
    const before = await world.backend.stat(path);
    await world.run(new Read(), { file_path: "a.txt" });
    expect(recall(world.state, world.backend, path)).toEqual({
      path,
      version: before.version,
      size: 1,
      hash: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
    });
  });

  it("says that a file was changed while it was read", async () => {
    await using world = open();
    await world.put("a.txt", "before\n");
    const slow: Backend = Object.assign(Object.create(world.backend), {
      readFile: async (...given: Parameters<Backend["readFile"]>) => {
        const bytes = await world.backend.readFile(...given);
        await world.put("a.txt", "after!!\n");
        return bytes;
      },
    });
    const { text } = await world.run(new Read({ backend: slow }), { file_path: "a.txt" });
    expect(text).toBe(
      "     1\tbefore\n\n[The file was changed while it was read: read it again before you rely on it.]",
    );
  });

  it("stops when it is told to", async () => {
    await using world = open();
    await world.put("a.txt", "x");
    const outcome = await world.run(new Read(), { file_path: "a.txt" }, world.state, AbortSignal.abort());
    expect(outcome.code).toBe("aborted");
  });

  it("answers without a session's state", async () => {
    await using world = open();
    await world.put("a", "x");
    const { state: _none, ...context } = world.callContext();
    expect((await world.runAs(new Read(), { file_path: "a" }, context)).text).toBe("     1\tx");
  });
});

describe.each(WORLDS)("Read of names that look the same on $name", ({ open }) => {
  const nfd = "cafe\u0301.txt";
  const nfc = "caf\u00e9.txt";

  it("reads the only one, and says which", async () => {
    await using world = open();
    await world.put(nfd, "decomposed");
    expect((await world.run(new Read(), { file_path: nfc })).text).toBe(
      '     1\tdecomposed\n\n[No file has exactly the name given; this is "cafe\\u{301}.txt", the only one that looks the same.]',
    );
  });

  it("finds narrow blanks and curly quotes, in directories too", async () => {
    await using world = open();
    await world.put("Bob\u2019s shots/at 1.00\u202fPM.txt", "shot");
    const { text } = await world.run(new Read(), { file_path: "Bob's shots/at 1.00 PM.txt" });
    expect(text.split("\n")[0]).toBe("     1\tshot");
  });

  it("reads the exact one when both are there", async () => {
    await using world = open();
    await world.put(nfd, "decomposed");
    await world.put(nfc, "composed");
    expect((await world.run(new Read(), { file_path: nfc })).text).toBe("     1\tcomposed");
    expect((await world.run(new Read(), { file_path: nfd })).text).toBe("     1\tdecomposed");
  });

  it("chooses none of several", async () => {
    await using world = open();
    await world.put("a\u00a0b.txt", "1");
    await world.put("a\u202fb.txt", "2");
    expect(await world.run(new Read(), { file_path: "a b.txt" })).toMatchObject({
      code: "ambiguous_match",
      text: 'ROOT/a b.txt doesn\'t exist, and 2 names in ROOT look the same: "a\\u{a0}b.txt", "a\\u{202f}b.txt". Give one of them exactly.',
    });
  });

  it("states the file it would read, so that rules about it hold", async () => {
    await using world = open();
    await world.put(nfd, "decomposed");
    expect(await new Read().effects({ file_path: nfc }, world.permissionContext())).toEqual([
      { kind: "read", path: world.path(nfc) },
      { kind: "read", path: world.path(nfd) },
    ]);
  });
});

describe("Read on this machine", () => {
  it("never opens pipes and devices", async () => {
    await using world = localWorld();
    execFileSync("mkfifo", [world.path("pipe")]);
    for (const path of ["ROOT/pipe", "/dev/zero"]) {
      const outcome = await world.run(new Read(), { file_path: path.replace("ROOT", world.root) });
      expect(outcome).toMatchObject({
        code: "not_a_file",
        text: `${path} is a device, pipe or socket, which Read doesn't open.`,
      });
    }
  });

  it.skipIf(process.platform !== "linux")(
    "reads files under /proc, which say that they are empty",
    async () => {
      await using world = localWorld();
      const { text } = await world.run(new Read(), { file_path: "/proc/version" });
      expect(text).toBe(`     1\t${readFileSync("/proc/version", "utf8").trimEnd()}`);
    },
  );
});
