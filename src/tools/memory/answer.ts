import { type ToolChunk, toolChunk } from "../../chunk.ts";
import { counted, grouped } from "../../lib/counted.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { MemoryFindings, ReadEntries } from "../../memory/long-term-memory.ts";
import { keywordsOf, type MemoryQuery } from "../../memory/query.ts";
import type { FoundEntry } from "../../memory/read-entries.ts";
import type { MemoryStats } from "../../memory/stats.ts";
import type { Lines } from "./wish.ts";

/** Characters of one answer. */
const MOST_CHARS = 40_000;
/** Characters of the entries that programs are told. */
const MOST_FACT_CHARS = 1_000_000;
/** Of an entry that was found, so much is shown. */
const SNIPPET_CHARS = 500;

/** What a search found. */
export function foundAnswer(query: MemoryQuery, { entries, total, isMore }: MemoryFindings): ToolChunk {
  const facts = { total, ...(isMore ? { more: true } : {}) };
  if (total === 0) return answer(`No entry ${wanted(query)}.`, entries, facts);
  const count = isMore ? `More than ${grouped(total)} entries` : counted(total, "entry");
  const verb = total === 1 ? "matches" : "match";
  const shown = entries.length < total ? `; the best ${entries.length}, of equals the newest first` : "";
  const rows = entries.map((entry) => row({ ...entry, content: snippet(entry, query.keywords) }));
  return answer(listed(`${count} ${verb}${shown}:`, rows), entries, facts);
}

function wanted({ keywords, mode, source, from, to }: MemoryQuery): string {
  const words = keywordsOf(keywords).map((word) => JSON.stringify(word));
  const parts = [
    ...(words.length === 0 ? [] : [`matches ${words.join(mode === "and" ? " and " : " or ")}`]),
    ...(source === undefined ? [] : [`is from ${source}`]),
    ...(from === undefined ? [] : [`is of ${from} or later`]),
    ...(to === undefined ? [] : [`is of ${to} or earlier`]),
  ];
  return parts.join(" and ");
}

/** Entries that were read. */
export function readAnswer({ entries, stats }: ReadEntries, lines: Lines | undefined): ToolChunk {
  const facts = stats === undefined ? {} : statsFacts(stats);
  if (stats?.total === 0) return answer("The memory is empty.", [], facts);
  const rows = entries.map(row);
  if (stats === undefined) {
    const last = rows.length === 1 ? "The last entry." : `The last ${counted(rows.length, "entry")}.`;
    const head = `${last} The file is large and hasn't been read as a whole, so lines are counted from its end; search gives their numbers.`;
    return answer(listed(head, rows), entries, facts);
  }
  const head = headOf(stats);
  if (lines === undefined) {
    return answer(
      listed(rows.length < stats.total ? `${head} The last ${rows.length}:` : head, rows),
      entries,
      facts,
    );
  }
  if (rows.length > 0) return answer(listed(head, rows), entries, facts);
  const where =
    lines.first === lines.last ? `line ${lines.first}` : `the lines ${lines.first} to ${lines.last}`;
  return answer(`${head} There is no entry in ${where}; the last line is ${stats.lines}.`, [], facts);
}

/** How much there is. */
export function statsAnswer(stats: MemoryStats): ToolChunk {
  const sources = [...stats.sources].map(([source, count]) => `${source}: ${grouped(count)}`);
  const text = stats.total === 0 ? "The memory is empty." : [headOf(stats), ...sources].join("\n");
  return answer(text, [], statsFacts(stats));
}

/** An answer of one sentence. */
export function plainAnswer(text: string, facts: JsonObject = {}): ToolChunk {
  return toolChunk({ text, state: "success", metadata: facts });
}

function answer(text: string, entries: readonly FoundEntry[], facts: JsonObject): ToolChunk {
  let left = MOST_FACT_CHARS;
  const told = entries.filter(({ content }) => {
    left -= content.length;
    return left >= 0;
  });
  const omitted = told.length < entries.length ? { omitted: entries.length - told.length } : {};
  const metadata = { ...facts, ...omitted, entries: told.map((entry): JsonObject => ({ ...entry })) };
  return toolChunk({ text, state: "success", metadata });
}

function statsFacts({ total, lines, bytes, sources, days }: MemoryStats): JsonObject {
  const range = days === undefined ? {} : { date_range: { ...days } };
  return { total, lines, bytes, sources: Object.fromEntries(sources), ...range };
}

function headOf({ total, days }: MemoryStats): string {
  const count = counted(total, "entry");
  if (days === undefined) return `${count}.`;
  return days.first === days.last
    ? `${count}, of ${days.first}.`
    : `${count}, ${days.first} to ${days.last}.`;
}

/** As many rows as an answer holds. */
function listed(head: string, rows: readonly string[]): string {
  const shown: string[] = [];
  let left = MOST_CHARS;
  for (const line of rows) {
    left -= line.length;
    if (left < 0 && shown.length > 0) break;
    shown.push(left < 0 ? `${line.slice(0, MOST_CHARS)}…` : line);
  }
  const rest = rows.length - shown.length;
  const note = rest === 0 ? [] : [`[${counted(rest, "more entry")}: ask for fewer at a time.]`];
  return [head, ...shown, ...note].join("\n");
}

/** One entry. Lines of its own are set in, so that none can be taken for another entry. */
function row({ line, date, source, content }: FoundEntry): string {
  const origin = date === undefined || source === undefined ? "" : `${date}|${source}|`;
  return `[${line}] ${origin}${content.replace(/\r\n?|\n/g, "\n    ")}`;
}

/** The part of a long entry where the first keyword is. */
function snippet({ content, line }: FoundEntry, keywords: string): string {
  if (content.length <= SNIPPET_CHARS) return content;
  const low = content.toLowerCase();
  const places = keywordsOf(keywords)
    .map((word) => low.indexOf(word))
    .filter((at) => at >= 0);
  const start = Math.max(
    0,
    Math.min(Math.min(...places, content.length) - 80, content.length - SNIPPET_CHARS),
  );
  const from = places.length === 0 ? 0 : start;
  const part = content.slice(from, from + SNIPPET_CHARS).toWellFormed();
  return `${from > 0 ? "…" : ""}${part}${from + SNIPPET_CHARS < content.length ? "…" : ""} [part of line ${line}]`;
}
