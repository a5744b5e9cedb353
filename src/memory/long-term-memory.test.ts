import { join } from "node:path";
import iconv from "iconv-lite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileWorld, localWorld, WORLDS } from "../../test/file-world.ts";
import { posixPlace } from "../../test/posix-place.ts";
import type { Backend } from "../backend.ts";
import { LongTermMemory } from "./long-term-memory.ts";
import type { FoundEntry } from "./read-entries.ts";

const { signal } = new AbortController();
const clock = (): Date => new Date(2026, 6, 6);
const yes = (): undefined => undefined;
const NAME = "memory/MEMORY.md";

function memoryIn(
  world: FileWorld,
  options: { indexDirectory?: string | false; backend?: Backend } = {},
): LongTermMemory {
  const { indexDirectory = false, backend = world.backend } = options;
  return new LongTermMemory({ backend, path: world.path(NAME), indexDirectory, clock });
}

const short = ({ line, content }: FoundEntry): string => `${line} ${content}`;
const find = async (memory: LongTermMemory, keywords: string): Promise<readonly string[]> =>
  (await memory.search({ keywords, mode: "or" }, 15, signal)).entries.map(short);
const write = (memory: LongTermMemory, content: string): Promise<unknown> =>
  memory.write({ source: "web", content }, signal);

describe.each(WORLDS)("a memory in a place: $name", ({ open }) => {
  let world: FileWorld;
  beforeEach(() => {
    world = open();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it("is made with its folder, and is a text that people can read", async () => {
    const memory = memoryIn(world);
    expect((await memory.last(10, signal)).stats?.total).toBe(0);
    const first = await memory.write({ source: "tele|gram", content: "likes tea；lives in Bern" }, signal);
    expect(first).toEqual({
      entry: { date: "2026-07-06", source: "tele_gram", content: "likes tea；lives in Bern", line: 1 },
      total: 1,
    });
    expect(await memory.write({ source: "web", content: " two\nlines" }, signal)).toMatchObject({ total: 2 });
    expect(await world.text(NAME)).toBe(
      "2026-07-06|tele_gram|likes tea；lives in Bern\n2026-07-06|web|\\| two\\nlines\n",
    );
    expect((await memory.last(1, signal)).entries).toEqual([
      { date: "2026-07-06", source: "web", content: " two\nlines", line: 2 },
    ]);
  });

  it("keeps what people write, and counts lines as their editor does", async () => {
    const byHand = "\n\n# Memory\n\n2026-01-02|qq|tea\n- coffee\n";
    await world.put(NAME, byHand);
    const memory = memoryIn(world);
    expect(await write(memory, "juice")).toMatchObject({ entry: { line: 7 }, total: 4 });
    expect(await world.text(NAME)).toBe(`${byHand}2026-07-06|web|juice\n`);
    expect((await memory.last(10, signal)).entries.map(short)).toEqual([
      "3 # Memory",
      "5 tea",
      "6 - coffee",
      "7 juice",
    ]);
    expect((await memory.range(2, 5, signal)).entries.map(short)).toEqual(["3 # Memory", "5 tea"]);
    expect((await memory.range(8, 20, signal)).entries).toEqual([]);
    expect(await memory.stats(signal)).toMatchObject({
      total: 4,
      lines: 7,
      sources: new Map([
        ["qq", 1],
        ["web", 1],
      ]),
      days: { first: "2026-01-02", last: "2026-07-06" },
    });
    expect(await find(memory, "coffee")).toEqual(["6 - coffee"]);
  });

  it("changes and takes away entries without moving the others", async () => {
    await world.put(NAME, "a one\n2026-01-02|qq|two\n2026-01-02|qq|three\nfour");
    const memory = memoryIn(world);
    expect(await find(memory, "three")).toEqual(["3 three"]);
    await memory.update(2, { source: "web", content: "second\nline" }, yes, signal);
    expect(await memory.clear({ first: 3, last: 3 }, yes, signal)).toBe(1);
    expect(await world.text(NAME)).toBe("a one\n2026-07-06|web|\\|second\\nline\n\nfour");
    expect(await find(memory, "three two second four")).toEqual(["4 four", "2 second\nline"]);
    expect(await memory.clear({ first: 1, last: 4 }, yes, signal)).toBe(3);
    expect(await world.text(NAME)).toBe("\n\n\n");
    await expect(memory.clear({ first: 1, last: 9 }, yes, signal)).rejects.toThrow(
      "no entry in the lines 1 to 9",
    );
    await expect(memory.update(7, { source: "w", content: "x" }, yes, signal)).rejects.toThrow(
      "no entry in line 7",
    );
    expect(await write(memory, "five")).toMatchObject({ entry: { line: 4 }, total: 1 });
  });

  it("takes no blank and no endless contents", async () => {
    const memory = memoryIn(world);
    await expect(write(memory, " \n")).rejects.toThrow("nothing to remember");
    await expect(write(memory, "x".repeat(100_000))).rejects.toThrow("100000 characters");
  });

  it("looks again when somebody writes between its look and its writing", async () => {
    await world.put(NAME, "2026-01-01|old|first\n");
    let rounds = 3;
    const backend: Backend = Object.create(world.backend, {
      writeFile: {
        value: async (...args: Parameters<Backend["writeFile"]>) => {
          if (args[0] === world.path(NAME) && rounds-- > 0) {
            await world.put(NAME, `${await world.text(NAME)}by hand ${rounds}\n`);
          }
          return world.backend.writeFile(...args);
        },
      },
    });
    expect(await write(memoryIn(world, { backend }), "mine")).toMatchObject({ entry: { line: 5 }, total: 5 });
    expect(await world.text(NAME)).toBe(
      "2026-01-01|old|first\nby hand 2\nby hand 1\nby hand 0\n2026-07-06|web|mine\n",
    );
    await expect(memoryIn(world).replace("all new\n", "another version", signal)).rejects.toThrow(
      "was changed since",
    );
  });
});

it("works over a transport to another place, and sends a large file through it whole", {
  timeout: 60_000,
}, async () => {
  const place = await posixPlace();
  const path = join(place.backend.cwd, NAME);
  const memory = new LongTermMemory({ backend: place.backend, path, indexDirectory: false, clock });
  await write(memory, "first");
  const large = "2026-01-01|qq|tea in the place\n".repeat(20_000);
  await memory.replace(large, undefined, signal);
  expect(await write(memory, "needle")).toMatchObject({ entry: { line: 20_001 }, total: 20_001 });
  await memory.update(10_000, { source: "web", content: "changed" }, yes, signal);
  expect(await find(memory, "needle changed")).toEqual(["20001 needle", "10000 changed"]);
  await place.dispose();
});

describe("a file that was written by other programs", () => {
  let world: FileWorld;
  beforeEach(() => {
    world = localWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const old = "2026-01-01|qq|喜欢喝绿茶";
  it.each([
    ["UTF-8 with a mark", "utf8", true, "\n", "绿茶"],
    ["UTF-8 with CRLF", "utf8", false, "\r\n", "绿茶"],
    ["UTF-16 little", "utf16-le", true, "\r\n", "绿茶"],
    ["UTF-16 big", "utf16-be", true, "\n", "绿茶"],
    ["GB18030", "gb18030", false, "\r\n", "绿茶"],
  ] as const)("%s stays what it is", async (_title, encoding, addBOM, eol, word) => {
    const lines = [old, "手写的一行，内容足够长，可以认出编码来：北京上海广州深圳", old];
    const before = iconv.encode(lines.join(eol) + eol, encoding, { addBOM });
    await world.put(NAME, before);
    const memory = memoryIn(world);
    expect(await find(memory, word)).toEqual(["3 喜欢喝绿茶", "1 喜欢喝绿茶"]);
    await write(memory, "两行\n😀");
    const bytes = await world.get(NAME);
    expect(bytes.subarray(0, before.length)).toEqual(before);
    const added = iconv.decode(bytes.subarray(before.length), encoding, { stripBOM: false });
    expect(added.startsWith("2026-07-06|web|\\|两行\\n")).toBe(true);
    expect(added.endsWith(eol)).toBe(true);
    expect((await memory.last(1, signal)).entries.map(short)).toEqual(["4 两行\n😀"]);
    await memory.update(1, { source: "web", content: "新的" }, yes, signal);
    await memory.clear({ first: 2, last: 2 }, yes, signal);
    const text = iconv.decode(await world.get(NAME), encoding);
    expect(text.split(eol).slice(0, 3)).toEqual(["2026-07-06|web|新的", "", old]);
    expect(await find(memory, "新的")).toEqual(["1 新的"]);
  });

  it("escapes what its encoding hasn't", async () => {
    const before = iconv.encode(
      "2026-01-01|qq|Gr\u00fc\u00dfe aus K\u00f6ln, sch\u00f6ne Stra\u00dfen\n".repeat(20),
      "windows-1252",
    );
    await world.put(NAME, before);
    const memory = memoryIn(world);
    await write(memory, "Käse 茶");
    const added = iconv.decode((await world.get(NAME)).subarray(before.length), "windows-1252");
    expect(added).toBe("2026-07-06|web|\\|Käse \\u{8336}\n");
    expect((await memory.last(1, signal)).entries.map(short)).toEqual(["21 Käse 茶"]);
  });

  it("begins a new line behind one without an end", async () => {
    await world.put(NAME, "2026-01-01|qq|tea\r\n- by hand");
    const memory = memoryIn(world);
    expect(await find(memory, "hand")).toEqual(["2 - by hand"]);
    await write(memory, "juice");
    expect(await world.text(NAME)).toBe("2026-01-01|qq|tea\r\n- by hand\r\n2026-07-06|web|juice\r\n");
    expect(await find(memory, "hand juice")).toEqual(["3 juice", "2 - by hand"]);
  });

  it("is no memory when it is a folder", async () => {
    await world.put(`${NAME}/x`, "");
    await expect(write(memoryIn(world), "a")).rejects.toThrow("no plain file");
  });
});
