import { setImmediate as breathe } from "node:timers/promises";
import type { Codec } from "../lib/encoding.ts";
import { blockLines, digestOf } from "./blocks.ts";
import { readLine } from "./entry-line.ts";
import type { IndexFile } from "./index-file.ts";
import { type Layout, type PlacedBlock, rowOf } from "./layout.ts";
import type { FileState } from "./sync-layout.ts";
import { FIRST_MARK, indexText, isDense, isMarked, originText } from "./words.ts";

/** Bytes that are read at a time. */
const PORTION = 1024 * 1024;
/** Lines of one transaction: large ones leave fewer parts to be merged. */
const LINES_AT_ONCE = 64 * 1024;
/** Lines between two breaths of everything else in the process. */
const LINES_A_BREATH = 512;
/** With more new lines than this, their words are asked of the index afterwards, rather than looked at one by one. */
const MANY_LINES = 8192;
/** Words shorter than this aren't found by a part of them. */
const PARTED_CHARS = 4;

/** How many lines can't be found by their words yet. */
export function pendingLines({ blocks }: Layout): number {
  return blocks.reduce((sum, { lines, indexed }) => sum + Math.max(0, lines - indexed), 0);
}

/**
 * Makes a good number of lines known by their words, as one transaction. False when the file is no longer what the layout says: then
 * nothing has changed.
 */
export async function fillWords(
  index: IndexFile,
  layout: Layout,
  file: Omit<FileState, "stat"> & { readonly codec: Codec },
): Promise<boolean> {
  const pending = layout.blocks.filter(({ lines, indexed }) => indexed < lines);
  const isBulk = pendingLines(layout) > MANY_LINES;
  index.execute("BEGIN IMMEDIATE");
  let isWhole = false;
  try {
    if (isBulk) index.note("words", "behind");
    isWhole = await fill(index, pending, file, isBulk);
    if (isWhole) index.execute("COMMIT");
  } finally {
    if (!isWhole) index.execute("ROLLBACK");
  }
  return isWhole;
}

async function fill(
  index: IndexFile,
  pending: readonly PlacedBlock[],
  file: Omit<FileState, "stat"> & { readonly codec: Codec },
  isBulk: boolean,
): Promise<boolean> {
  let lines = 0;
  let breath = 0;
  for (let at = 0; at < pending.length && lines < LINES_AT_ONCE; ) {
    const span = spanFrom(pending, at);
    const bytes = await readSpan(span, file);
    for (const block of span) {
      const part = bytes.subarray(block.offset - (span[0]?.offset ?? 0)).subarray(0, block.bytes);
      if (digestOf(part) !== block.digest) return false;
      putLines(index, block, blockLines(part, file.codec, block.offset === 0), isBulk);
      lines += block.lines;
      breath += block.lines;
      if (breath < LINES_A_BREATH) continue;
      breath = 0;
      await breathe();
      file.signal.throwIfAborted();
    }
    at += span.length;
  }
  return true;
}

/** Blocks that follow each other in the file, to be read at once. */
function spanFrom(pending: readonly PlacedBlock[], from: number): readonly PlacedBlock[] {
  const span: PlacedBlock[] = [];
  let size = 0;
  for (const block of pending.slice(from, from + 64)) {
    const before = span.at(-1);
    const follows = before === undefined || before.offset + before.bytes === block.offset;
    if (!follows || (size > 0 && size + block.bytes > PORTION)) break;
    span.push(block);
    size += block.bytes;
  }
  return span;
}

async function readSpan(
  span: readonly PlacedBlock[],
  { backend, path, signal }: Omit<FileState, "stat">,
): Promise<Buffer> {
  const offset = span[0]?.offset ?? 0;
  const length = span.reduce((sum, { bytes }) => sum + bytes, 0);
  return Buffer.from(await backend.readFile(path, { offset, length, realPath: path, signal }));
}

function putLines(index: IndexFile, block: PlacedBlock, lines: readonly string[], isBulk: boolean): void {
  for (const [at, line] of lines.entries()) {
    if (at < block.indexed) continue;
    const entry = readLine(line);
    if (entry === undefined) continue;
    const { date, source, content } = entry;
    const words = indexText(content);
    const origin = date === undefined || source === undefined ? "" : ` ${originText(date, source)}`;
    index.run("INSERT INTO entry(rowid, words) VALUES (?, ?)", rowOf(block.id, at), words + origin);
    if (!isBulk) addWords(index, words.split(" "));
  }
  index.run("UPDATE block SET indexed = lines WHERE id = ?", block.id);
}

/** Words that can be found by a part of them. Dense scripts have their pairs for that. */
function addWords(index: IndexFile, words: readonly string[]): void {
  for (const word of words) {
    if (word.length < PARTED_CHARS || isMarked(word) || isDense(word)) continue;
    const added = index.row("INSERT OR IGNORE INTO word(word) VALUES (?) RETURNING id", word);
    if (added !== undefined) {
      index.run("INSERT INTO part(rowid, word) VALUES (?, ?)", Number(added.id), word);
    }
  }
}

/** Words that are asked of the index at a time. */
const PAGE = 4096;

/** What is left to do after many lines: their words' parts, and one index out of many pieces. */
export async function tidyWords(index: IndexFile, signal: AbortSignal): Promise<void> {
  if (index.about("words") !== "behind") return;
  for (let last = ""; ; ) {
    const page = index.rows(
      "SELECT term FROM vocabulary WHERE term > ? AND term < ? ORDER BY term LIMIT ?",
      last,
      FIRST_MARK,
      PAGE,
    );
    const words = page.map(({ term }) => String(term));
    index.all(() => addWords(index, words));
    if (words.length < PAGE) break;
    last = words.at(-1) ?? last;
    await breathe();
    signal.throwIfAborted();
  }
  for (const table of ["entry", "part"]) await merge(index, table, signal);
  index.note("words", "settled");
}

/** Merges an index's pieces, a few pages at a time. */
async function merge(index: IndexFile, table: string, signal: AbortSignal): Promise<void> {
  const changes = (): number => Number(index.row("SELECT total_changes() AS n")?.n);
  // A negative number first: all pieces are to become one.
  for (let pages = -256; ; pages = 256) {
    const before = changes();
    index.execute(`INSERT INTO ${table}(${table}, rank) VALUES ('merge', ${pages})`);
    if (changes() - before < 2) return;
    await breathe();
    signal.throwIfAborted();
  }
}
