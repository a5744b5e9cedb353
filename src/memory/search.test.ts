import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import { LongTermMemory } from "./long-term-memory.ts";
import type { MatchMode, MemoryQuery } from "./query.ts";

const { signal } = new AbortController();

interface Given {
  readonly day?: string;
  readonly source?: string;
  readonly content: string;
}

async function memoryOf(entries: readonly (string | Given)[]): Promise<LongTermMemory> {
  const backend = memoryBackend({ cwd: "/work" });
  const lines = entries.map((entry) => {
    const {
      day = "2026-01-01",
      source = "web",
      content,
    } = typeof entry === "string" ? { content: entry } : entry;
    return `${day}|${source}|${content}\n`;
  });
  await backend.writeFile("/work/MEMORY.md", Buffer.from(lines.join("")));
  return new LongTermMemory({ backend, path: "/work/MEMORY.md", indexDirectory: false });
}

interface Found {
  readonly lines: readonly number[];
  readonly total: number;
  readonly isMore: boolean;
}

async function search(
  memory: LongTermMemory,
  query: string | Partial<MemoryQuery>,
  most = 15,
): Promise<Found> {
  const whole = {
    keywords: "",
    mode: "or" as MatchMode,
    ...(typeof query === "string" ? { keywords: query } : query),
  };
  const { entries, total, isMore } = await memory.search(whole, most, signal);
  return { lines: entries.map(({ line }) => line), total, isMore };
}

describe("what is found", () => {
  it.each([
    ["case doesn't count", "TEA", ["likes tea"], [1]],
    ["accents don't", "cafe", ["the Café", "cafés"], [1, 2]],
    ["other forms of the word", "gardening", ["her gardens", "a garden", "gardener"], [3, 2, 1]],
    ["the word itself before them", "gardens", ["her gardens", "a garden"], [1, 2]],
    ["parts of words", "tomat", ["tomatoes", "potatoes"], [1]],
    ["parts in the middle", "arde", ["gardens", "tea"], [1]],
    ["whole words before parts", "art", ["art", "party", "start"], [1, 3, 2]],
    ["beginnings of short words", "go", ["golang", "go", "mongo"], [2, 1]],
    ["a language's name", "c++", ["uses c++", "uses c", "vitamin c"], [1]],
    ["a version", "3.5", ["v 3.5", "5 of 3", "python 3.5.1"], [1, 3, 2]],
    ["an address", "ann@example.com", ["ann@example.com", "ann wrote", "example"], [1]],
    ["an emoji", "🎂", ["🎂 in May", "cake"], [1]],
    ["digits", "2026", ["in 2026", "in 1026"], [1]],
    ["Chinese words", "绿茶", ["喜欢喝绿茶", "茶叶是绿的"], [1]],
    ["one character", "茶", ["绿茶", "茶叶", "咖啡"], [2, 1]],
    ["characters across words", "欢喝", ["喜欢喝绿茶", "喝", "绿茶"], [1, 2]],
    ["Chinese by its words", "北京天气", ["北京的天气很好", "上海天气"], [1, 2]],
    ["what stands together first", "北京天气", ["北京的天气", "北京天气很好"], [2, 1]],
    ["Chinese and English", "iphone手机", ["买了iPhone手机", "手机"], [1]],
    ["full width", "ABC", ["ＡＢＣ"], [1]],
    ["Japanese", "東京", ["東京タワー", "京都"], [1]],
    ["Korean", "서울", ["서울에서 만나요", "부산"], [1]],
    ["Russian", "ёлка", ["Елка в доме"], [1]],
    ["nothing", "zebra", ["tea", "coffee"], []],
    ["what looks like FTS", 'tea" OR "coffee', ["tea", "coffee", "or"], [3, 2, 1]],
    ["operators are words", "NOT tea*", ["tea", "not"], [2, 1]],
  ] as const)("%s", async (_what, keywords, entries, lines) => {
    const { lines: found, total } = await search(await memoryOf(entries), keywords);
    expect(found).toEqual(lines);
    expect(total).toBe(lines.length);
  });

  it("finds what CountBot's search for a substring does, among a few hundred entries", async () => {
    const word = fc.constantFrom(
      "garden",
      "tomato",
      "river",
      "meeting",
      "plan",
      "北京",
      "绿茶",
      "会议",
      "v3.5",
      "a-b",
    );
    const content = fc
      .array(word, { minLength: 1, maxLength: 5 })
      .chain((words) => fc.constantFrom(" ", "，", ", ").map((separator) => words.join(separator)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: 1, maxLength: 30 }),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 3, max: 6 }),
        async (contents, which, from, length) => {
          const source = contents[which % contents.length] ?? "";
          const keyword = source.slice(from % source.length).slice(0, length);
          // A part of a word; what goes across several is looked for by its words.
          fc.pre(/^(?:[a-z]{3,}|[\u4e00-\u9fff]+)$/.test(keyword));
          const { lines } = await search(await memoryOf(contents), keyword, 1000);
          const wanted = contents.flatMap((text, at) => (text.includes(keyword) ? [at + 1] : []));
          expect(lines).toEqual(expect.arrayContaining(wanted));
        },
      ),
      { numRuns: 40 },
    );
  });
});

it("takes any number of keywords of any length", async () => {
  const memory = await memoryOf([
    "tea",
    "茶".repeat(300),
    ...Array.from({ length: 300 }, (_, at) => `word${at}x`),
  ]);
  for (const keywords of [
    "茶".repeat(50_000),
    "word ".repeat(20_000),
    "a".repeat(100_000),
    "wo rd or dx wor ord".repeat(50),
  ]) {
    await expect(search(memory, keywords)).resolves.toBeDefined();
    await expect(search(memory, { keywords, mode: "and" })).resolves.toBeDefined();
  }
  const many = Array.from({ length: 30 }, (_, at) => `ord${at}`).join(" ");
  expect((await search(memory, many, 500)).lines.length).toBeGreaterThan(30);
});

describe("the order", () => {
  it("has more and rarer keywords first, of equals the newest", async () => {
    const memory = await memoryOf(["tea", "tea", "coffee", "tea coffee", "tea juice", "tea"]);
    expect((await search(memory, "tea coffee")).lines).toEqual([4, 3, 6, 5, 2, 1]);
    expect((await search(memory, "tea", 2)).lines).toEqual([6, 5]);
    expect((await search(memory, { keywords: "tea coffee", mode: "and" })).lines).toEqual([4]);
  });

  it("is the same by counting and by looking, with words of every rarity", { timeout: 30_000 }, async () => {
    // Line n has the word d2 when n is even, d3 when it is a third, and so on: what is common is known exactly.
    const divisors = [2, 3, 7, 50, 997, 3989];
    const count = 12_000;
    const has = (line: number, divisor: number): boolean => line % divisor === 0;
    const memory = await memoryOf(
      Array.from({ length: count }, (_, at) => {
        const words = divisors.filter((divisor) => has(at + 1, divisor)).map((divisor) => `d${divisor}d`);
        return { source: at % 2 === 0 ? "odd" : "even", content: ["all", ...words].join(" ") };
      }),
    );
    for (const wanted of [[2], [50], [2, 3], [2, 3, 7], [3, 997], [2, 3989], [2, 3, 7, 50, 997]]) {
      for (const mode of ["or", "and"] as const) {
        const fits = (line: number): boolean =>
          mode === "or" ? wanted.some((each) => has(line, each)) : wanted.every((each) => has(line, each));
        const lines = Array.from({ length: count }, (_, at) => at + 1).filter(fits);
        const score = (line: number): number =>
          wanted.reduce((sum, each) => sum + (has(line, each) ? Math.log(1 + each) : 0), 0);
        lines.sort((a, b) => score(b) - score(a) || b - a);
        const keywords = wanted.map((each) => `d${each}d`).join(" ");
        const found = await search(memory, { keywords, mode });
        expect([keywords, mode, found]).toEqual([
          keywords,
          mode,
          { lines: lines.slice(0, 15), total: lines.length, isMore: false },
        ]);
      }
    }
    const odd = await search(memory, { keywords: "d3d", source: "odd" }, 3);
    expect(odd).toEqual({ lines: [11_997, 11_991, 11_985], total: 2000, isMore: false });
    expect(await search(memory, { keywords: "d2d", source: "odd" })).toEqual({
      lines: [],
      total: 0,
      isMore: false,
    });
  });

  it("says how many there are at least, when there are very many", { timeout: 60_000 }, async () => {
    const memory = await memoryOf(Array.from({ length: 50_010 }, () => "tea"));
    expect(await search(memory, "tea", 2)).toEqual({ lines: [50_010, 50_009], total: 50_000, isMore: true });
  });
});

describe("filters", () => {
  const entries: readonly Given[] = [
    { day: "2025-12-31", source: "qq", content: "tea" },
    { day: "2026-01-01", source: "web", content: "tea" },
    { day: "2026-01-31", source: "web", content: "coffee" },
    { day: "2026-02-01", source: "qq", content: "tea" },
    { day: "2027-06-15", source: "we chat", content: "tea" },
    { day: "2026-02-01", source: "qq", content: "juice" },
  ];
  it.each([
    [{ keywords: "tea", source: "qq" }, [4, 1]],
    [{ keywords: "tea", source: "q" }, []],
    [{ source: "we chat" }, [5]],
    [{ keywords: "tea", from: "2026-01-01" }, [5, 4, 2]],
    [{ keywords: "tea", to: "2026-01-01" }, [2, 1]],
    [{ from: "2026-01-01", to: "2026-01-31" }, [3, 2]],
    [{ from: "2026-02-01", to: "2026-02-01" }, [6, 4]],
    [{ keywords: "tea juice", from: "2026-01-15", to: "2027-12-31", source: "qq" }, [6, 4]],
    [{ keywords: "tea juice", mode: "and", source: "qq" }, []],
    [{ from: "2030-01-01" }, []],
    [{ to: "1999-01-01" }, []],
    [{ from: "0001-01-01", to: "9999-12-31" }, [6, 5, 4, 3, 2, 1]],
  ] as const)("%j", async (query, lines) => {
    expect((await search(await memoryOf(entries), query)).lines).toEqual(lines);
  });

  it("leave out what has neither day nor source", async () => {
    const backend = memoryBackend({ cwd: "/work" });
    await backend.writeFile("/work/M.md", Buffer.from("- tea\n2026-01-01|web|tea\n"));
    const memory = new LongTermMemory({ backend, path: "/work/M.md", indexDirectory: false });
    expect((await search(memory, { keywords: "tea", from: "2020-01-01" })).lines).toEqual([2]);
    expect((await search(memory, "tea")).lines).toEqual([2, 1]);
  });

  it.each(["", "  ", "!!! …", "()"])("%j is nothing to search for", async (keywords) => {
    await expect(search(await memoryOf(["tea"]), keywords)).rejects.toThrow("nothing to search for");
  });
});
