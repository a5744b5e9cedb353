import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { has } from "../../test/require.ts";
import { testFolder } from "../../test/test-folder.ts";
import { localBackend } from "../backends/local.ts";
import { readLine } from "./entry-line.ts";
import { LongTermMemory } from "./long-term-memory.ts";

const { signal } = new AbortController();
let folder: string;
let path: string;
let index: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ folder, remove } = await testFolder());
  path = join(folder, "memory", "MEMORY.md");
  index = join(folder, "index");
});
afterEach(() => remove());

function start(fixture: string, ...args: readonly string[]): ChildProcess {
  const file = join(import.meta.dirname, "fixtures", fixture);
  return spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"], timeout: 120_000 });
}

async function ended(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  const [code] = await once(child, "close");
  expect(code).toBe(0);
}

const memory = (): LongTermMemory =>
  new LongTermMemory({ backend: localBackend({ cwd: folder }), path, indexDirectory: index });

const fileLines = (): readonly string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);

describe("a memory that several processes write to", () => {
  it("loses nothing: four writers, and somebody who edits the file meanwhile", {
    timeout: 150_000,
  }, async () => {
    const writers = ["a", "b", "c", "d"];
    const [count, edits] = [200, 15];
    const children = [
      ...writers.map((who) => start("writer.ts", who, String(count), path, index)),
      start("editor.ts", String(edits), path, index),
    ];
    await Promise.all(children.map(ended));
    const entries = fileLines().map(readLine);
    for (const who of writers) {
      const own = entries.filter((entry) => entry?.source === who).map((entry) => entry?.content);
      // Each of them once, in their order.
      expect(own).toEqual(Array.from({ length: count }, (_, at) => `entry ${at} of ${who}\nand more`));
    }
    const byHand = entries.flatMap((entry) => (entry?.date === undefined ? [entry?.content] : []));
    expect(byHand.toSorted()).toEqual(
      Array.from({ length: edits }, (_, at) => `note ${at} by hand`).toSorted(),
    );
    expect(entries).toHaveLength(writers.length * count + edits);
    // What they left behind together is one index that fits.
    const { total, entries: found } = await memory().search({ keywords: "199", mode: "or" }, 15, signal);
    expect(total).toBe(4);
    for (const { line, content } of found)
      expect(readLine(fileLines()[line - 1] ?? "")?.content).toBe(content);
  });

  it("is whole after a process was killed while it wrote", { timeout: 60_000 }, async () => {
    mkdirSync(join(folder, "memory"));
    const before = `${"2026-01-01|old|some entry of the past\n".repeat(20_000)}`;
    writeFileSync(path, before);
    for (let round = 0; round < 4; round += 1) {
      const child = start("writer.ts", `r${round}`, "1000", path, index);
      let told = 0;
      child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        told += text.split("\n").length - 1;
        if (told >= 3 + round) child.kill("SIGKILL");
      });
      await once(child, "close");
      expect(child.signalCode).toBe("SIGKILL");
      const lines = fileLines();
      const own = lines.filter((line) => readLine(line)?.source === `r${round}`);
      // What it said was written is there; nothing is half there.
      expect(own.length).toBeGreaterThanOrEqual(told);
      expect(lines.every((line) => readLine(line)?.date !== undefined)).toBe(true);
      expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    }
    const after = fileLines().length;
    expect(await memory().write({ source: "web", content: "needle" }, signal)).toMatchObject({
      total: after + 1,
    });
    expect((await memory().search({ keywords: "needle", mode: "or" }, 15, signal)).total).toBe(1);
  });
});

describe.skipIf(!has("bwrap"))("a memory on a full disk", () => {
  it("says no_space, and keeps the file as it was", { timeout: 60_000 }, async () => {
    const script = `
      import { readdirSync, readFileSync, writeFileSync } from "node:fs";
      const { LongTermMemory } = await import(${JSON.stringify(join(import.meta.dirname, "long-term-memory.ts"))});
      const { localBackend } = await import(${JSON.stringify(join(import.meta.dirname, "../backends/local.ts"))});
      const [folder, indexDirectory] = process.argv.slice(1);
      const path = folder + "/MEMORY.md";
      writeFileSync(path, "2026-01-01|old|tea\\n".repeat(20_000));
      const before = readFileSync(path, "utf8");
      const memory = new LongTermMemory({ backend: localBackend({ cwd: folder }), path, indexDirectory });
      const { signal } = new AbortController();
      const failed = await memory.write({ source: "web", content: "new" }, signal).catch((error) => error.code);
      const cleared = await memory.clear({ first: 1, last: 1 }, () => undefined, signal).catch((error) => error.code);
      const { total } = await memory.search({ keywords: "tea", mode: "or" }, 5, signal);
      const names = readdirSync(folder).filter((name) => name.startsWith(".toolgate") || name === "MEMORY.md");
      console.log(JSON.stringify([failed, cleared, total, names, readFileSync(path, "utf8") === before]));`;
    const node = [process.execPath, "--input-type=module", "-e", script, folder];
    const place = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--size", "600000", "--tmpfs", folder];
    for (const indexDirectory of [join(folder, "index"), "/dev/null/nowhere"]) {
      const child = spawn("bwrap", [...place, "--", ...node, indexDirectory], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      await once(child, "close");
      expect(JSON.parse(said)).toEqual(["no_space", "no_space", 20_000, ["MEMORY.md"], true]);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
