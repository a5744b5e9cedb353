import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localBackend } from "../src/backends/local.ts";
import { LongTermMemory } from "../src/memory/long-term-memory.ts";
import type { MemoryQuery } from "../src/memory/query.ts";
import { inChild } from "./child.ts";
import { type Contender, measure } from "./measure.ts";
import { duration, type Row, within } from "./table.ts";

const ENTRIES = 1_000_000;
const SEARCH_US = 20_000;
const SYLLABLES = "ka ro mi te lu sa ne vo di pa gra sto ben tri fal".split(" ");
const CHARACTERS =
  "我你他们喜欢在北京上海住工作项目会议明天昨天茶咖啡绿红天气很好不错朋友家人生日礼物电脑手机软件代码测试计划旅行火车飞机酒店餐厅菜单鱼肉米饭面条汤水果苹果香蕉西瓜";
const SOURCES = ["web-chat", "telegram", "feishu", "auto-summary"];

/** A file of a million entries over six years, half of them English and half of them Chinese, with words as common and as rare as in texts. */
function plant(path: string): void {
  let seed = 7;
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const english = (): string => {
    let word = "";
    for (let at = Math.floor(Math.exp(random() * Math.log(40_000))) + 20; at > 0; at = Math.floor(at / 15)) {
      word += SYLLABLES[at % 15];
    }
    return word;
  };
  const chinese = (): string => CHARACTERS[Math.floor(random() * random() * CHARACTERS.length)] ?? "";
  const some = (count: number, make: () => string): readonly string[] => Array.from({ length: count }, make);
  const lines: string[] = [];
  for (let at = 0; at < ENTRIES; at++) {
    const day = new Date(Date.UTC(2020, 0, 1) + Math.floor((at / ENTRIES) * 2300) * 86_400_000);
    const content =
      at % 2 === 0
        ? `${some(6 + Math.floor(random() * 8), english).join(" ")} item ${at}${at % 100_000 === 6 ? " needle" : ""}`
        : some(12 + Math.floor(random() * 16), chinese).join("") + (at % 100_000 === 7 ? "稀有" : "");
    lines.push(`${day.toISOString().slice(0, 10)}|${SOURCES[at % 4]}|${content}\n`);
  }
  writeFileSync(path, lines.join(""));
}

const QUERIES: readonly (readonly [what: string, query: MemoryQuery])[] = [
  ["a rare word", { keywords: "needle", mode: "or" }],
  ["a word of every second entry", { keywords: "item", mode: "or" }],
  ["a part of a rare word", { keywords: "eedle", mode: "or" }],
  ["two common words, any", { keywords: "kami kate", mode: "or" }],
  ["two common words, both", { keywords: "kami kate", mode: "and" }],
  ["seven words, any", { keywords: "item kami romi tesa lulu needle 稀有", mode: "or" }],
  ["a rare Chinese word", { keywords: "稀有", mode: "or" }],
  ["one Chinese character", { keywords: "我", mode: "or" }],
  ["a Chinese phrase", { keywords: "北京上海", mode: "or" }],
  ["a common word of one source", { keywords: "item", mode: "or", source: "web-chat" }],
  ["a word of two years", { keywords: "kami", mode: "or", from: "2021-02-03", to: "2023-02-02" }],
];

/** Search in a million entries, and what the index costs. */
export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-memory-"));
  try {
    mkdirSync(join(folder, "memory"));
    const path = join(folder, "memory", "MEMORY.md");
    const indexDirectory = join(folder, "index");
    plant(path);
    const backend = localBackend({ cwd: folder });
    const { signal } = new AbortController();
    const opened = (): LongTermMemory => new LongTermMemory({ backend, path, indexDirectory });
    const last = async (): Promise<number> => {
      const start = performance.now();
      await opened().last(10, signal);
      return (performance.now() - start) * 1000;
    };
    const unknown = await last();
    const build = await inChild(join(import.meta.dirname, "memory-child.ts"), [folder]);
    const known = await last();
    const memory = opened();
    const contender = ([name, query]: (typeof QUERIES)[number]): Contender => ({
      name: `memory: ${name}`,
      run: async (times) => {
        for (let time = 0; time < times; time++) await memory.search(query, 15, signal);
      },
    });
    const searched = await measure(QUERIES.map(contender), { times: 3 });
    const add = (): Promise<unknown> => memory.write({ source: "bench", content: "one more" }, signal);
    const [written] = await measure([{ name: "write", run: async () => void (await add()) }], { rounds: 5 });
    return [
      ...searched.map(({ name, us }) => within(`${name}, of a million`, us, SEARCH_US)),
      within("memory: open, last 10, never indexed", unknown, 100_000),
      within("memory: open, last 10, indexed", known, 100_000),
      told("memory: write to a million", duration(written?.us ?? Number.NaN)),
      told("memory: index a million", `${duration(build.ms * 1000)}, ${Math.round(build.growthMb)} MB`),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A figure that only informs. */
function told(what: string, figure: string): Row {
  return { what, figure, against: "–", target: "–", met: true };
}
