import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileWorld, localWorld } from "../../test/file-world.ts";
import type { Backend, ReadFileOptions } from "../backend.ts";
import { LongTermMemory } from "./long-term-memory.ts";
import type { FoundEntry } from "./read-entries.ts";

const { signal } = new AbortController();
const NAME = "memory/MEMORY.md";

function memoryIn(
  world: FileWorld,
  options: { indexDirectory?: string | false; backend?: Backend } = {},
): LongTermMemory {
  const { indexDirectory = false, backend = world.backend } = options;
  return new LongTermMemory({ backend, path: world.path(NAME), indexDirectory });
}

const short = ({ line, content }: FoundEntry): string => `${line} ${content}`;
const find = async (memory: LongTermMemory, keywords: string): Promise<readonly string[]> =>
  (await memory.search({ keywords, mode: "or" }, 15, signal)).entries.map(short);
const write = (memory: LongTermMemory, content: string): Promise<unknown> =>
  memory.write({ source: "web", content }, signal);

describe("the index", () => {
  let world: FileWorld;
  let indexDirectory: string;
  beforeEach(() => {
    world = localWorld();
    indexDirectory = world.path("index");
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const file = (): string => join(indexDirectory, readdirSync(indexDirectory)[0] ?? "", "index.db");
  const many = (count: number, word = "entry"): string =>
    Array.from({ length: count }, (_, at) => `2026-01-01|qq|${word} number${at}\n`).join("");

  /** The same memory, and how much of its file is read for it. */
  function counting(): { memory: LongTermMemory; read: () => number } {
    let bytes = 0;
    const backend: Backend = Object.create(world.backend, {
      readFile: {
        value: async (path: string, options: ReadFileOptions) => {
          const part = await world.backend.readFile(path, options);
          bytes += part.length;
          return part;
        },
      },
      readStream: {
        value: async function* (path: string, options: ReadFileOptions) {
          for await (const piece of world.backend.readStream(path, options)) {
            bytes += piece.length;
            yield piece;
          }
        },
      },
    });
    const read = (): number => {
      const count = bytes;
      bytes = 0;
      return count;
    };
    return { memory: memoryIn(world, { indexDirectory, backend }), read };
  }

  it.each([
    ["missing", () => rmSync(indexDirectory, { recursive: true })],
    ["no database", () => writeFileSync(file(), "nonsense".repeat(1000))],
    ["cut off", () => writeFileSync(file(), Buffer.alloc(100))],
    [
      "of another kind",
      () => {
        const database = new DatabaseSync(file());
        database.exec("DROP TABLE block; UPDATE about SET value = '0' WHERE name = 'kind'");
        database.close();
      },
    ],
    [
      "without its tables",
      () => {
        const database = new DatabaseSync(file());
        database.exec("DROP TABLE entry");
        database.close();
      },
    ],
    [
      "wrong about the file",
      () => {
        const database = new DatabaseSync(file());
        database.exec("UPDATE block SET digest = 'x', lines = 7");
        database.close();
      },
    ],
  ])("is made anew when it is %s", async (_what, spoil) => {
    await world.put(NAME, many(600));
    expect(await find(memoryIn(world, { indexDirectory }), "number150")).toEqual(["151 entry number150"]);
    spoil();
    const memory = memoryIn(world, { indexDirectory });
    expect(await find(memory, "number599")).toEqual(["600 entry number599"]);
    expect(await write(memory, "one more")).toMatchObject({ total: 601 });
    expect(await find(memory, "more")).toEqual(["601 one more"]);
  });

  it("is made anew when it gets damaged in use", async () => {
    await world.put(NAME, many(600));
    const memory = memoryIn(world, { indexDirectory });
    await find(memory, "number7");
    const database = new DatabaseSync(file());
    database.exec("DROP TABLE entry; DROP TABLE about");
    database.close();
    expect(await find(memory, "number599")).toEqual(["600 entry number599"]);
  });

  it("isn't needed: where it can't be kept it is in memory", async () => {
    await world.put(NAME, many(600));
    writeFileSync(indexDirectory, "in the way");
    const memory = memoryIn(world, { indexDirectory });
    expect(await find(memory, "number150")).toEqual(["151 entry number150"]);
    expect(await write(memory, "one more")).toMatchObject({ total: 601 });
  });

  it.each([
    ["a line is added", (text: string) => `${text}- new needle\n`, ["2001 - new needle"]],
    [
      "a line is put in",
      (text: string) => text.replace("number1000\n", "number1000\n- new needle\n"),
      ["1002 - new needle"],
    ],
    ["a line is changed", (text: string) => text.replace("number1000\n", "needle\n"), ["1001 entry needle"]],
    ["the first line goes", (text: string) => `${text.slice(text.indexOf("\n") + 1)}`, []],
    [
      "lines are joined",
      (text: string) => text.replace("number511\n", "needle"),
      ["512 entry needle2026-01-01|qq|entry number512"],
    ],
    [
      "much is put in",
      (text: string) => text.replace("number1000\n", `number1000\n${many(9000, "other")}needle\n`),
      ["10002 needle"],
    ],
    ["much goes", (text: string) => `${text.slice(0, 3000)}\nneedle\n${text.slice(-3000)}`, ["105 needle"]],
    ["it is another file", () => "needle\n", ["1 needle"]],
    ["it is gone", () => "", []],
    [
      "its lines end otherwise",
      (text: string) => `${text}needle\n`.replaceAll("\n", "\r\n"),
      ["2001 needle"],
    ],
    [
      "it is turned round",
      (text: string) => `${text}needle\n`.split("\n").toReversed().join("\n"),
      ["2 needle"],
    ],
  ])("follows hand edits: %s", async (_what, edit, found) => {
    const before = many(2000);
    await world.put(NAME, before);
    const memory = memoryIn(world, { indexDirectory });
    await find(memory, "entry");
    const after = edit(before);
    await world.put(NAME, after);
    expect(await find(memory, "needle")).toEqual(found);
    // All other lines are found where they are now, and as often.
    const lines = after.split(/\r?\n/);
    for (const word of ["number3", "number700", "number1999"]) {
      const places = lines.flatMap((line, at) => (line.endsWith(` ${word}`) ? [String(at + 1)] : []));
      const hits = await find(memory, word);
      expect(hits.filter((hit) => hit.endsWith(` ${word}`)).map((hit) => hit.split(" ")[0])).toEqual(
        places.toReversed(),
      );
    }
    expect((await memory.stats(signal)).total).toBe(lines.filter((line) => line !== "").length);
    // The same is said by an index that never saw anything else.
    expect(await memory.stats(signal)).toEqual(await memoryIn(world).stats(signal));
  });

  it("only reads what is new of a file that has grown, and nothing of one that hasn't changed", async () => {
    await world.put(NAME, many(20_000));
    const size = (await world.backend.stat(world.path(NAME))).size;
    const { memory, read } = counting();
    await find(memory, "number7");
    read();
    await find(memory, "number7");
    expect(read()).toBe(0);
    await memory.write({ source: "web", content: "one more" }, signal);
    // It is copied once, and that is all.
    expect(read()).toBeLessThan(size + 300_000);
    await find(memory, "more");
    expect(read()).toBeLessThan(200_000);
  });

  it("isn't needed to show the end of a large file, which isn't read for it", async () => {
    mkdirSync(world.path("memory"));
    writeFileSync(world.path(NAME), many(200_000));
    const { memory, read } = counting();
    const { entries, stats } = await memory.last(10, signal);
    expect(entries.map(short)).toEqual(
      Array.from({ length: 10 }, (_, at) => `${at - 10} entry number${199_990 + at}`),
    );
    expect(stats).toBeUndefined();
    expect(read()).toBeLessThan(400_000);
    // Once it is laid out, lines have their numbers, and the end alone is read all the same.
    await memory.stats(signal);
    read();
    const fresh = counting();
    expect((await fresh.memory.last(2, signal)).entries.map(short)).toEqual([
      "199999 entry number199998",
      "200000 entry number199999",
    ]);
    expect(fresh.read()).toBeLessThan(400_000);
  });

  it("goes on where it was stopped", async () => {
    await world.put(NAME, many(30_000));
    const stop = new AbortController();
    const stopped = memoryIn(world, { indexDirectory });
    const progress = (): void => stop.abort();
    setTimeout(progress, 20);
    await stopped
      .search({ keywords: "number7", mode: "or" }, 5, stop.signal, progress)
      .catch(() => undefined);
    expect(await find(memoryIn(world, { indexDirectory }), "number29999")).toEqual([
      "30000 entry number29999",
    ]);
    expect(await find(stopped, "number29998")).toEqual(["29999 entry number29998"]);
  });
});
