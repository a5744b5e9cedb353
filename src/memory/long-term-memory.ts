import type { Backend } from "../backend.ts";
import { ToolgateError } from "../errors.ts";
import { counted } from "../lib/counted.ts";
import { type DatedEntry, dayOf, sourceName, writeLine } from "./entry-line.ts";
import type { Layout } from "./layout.ts";
import type { LineEdit } from "./line-edits.ts";
import { type Change, MemoryFile, steadily } from "./memory-file.ts";
import type { Progress } from "./memory-index.ts";
import { defaultIndexDirectory, indexDirectoryOf } from "./place.ts";
import type { MemoryQuery } from "./query.ts";
import { entriesBetween, entriesOfRows, type FoundEntry, lastEntries } from "./read-entries.ts";
import { searchIndex } from "./search.ts";
import { type MemoryStats, statsOf } from "./stats.ts";
import { tailEntries } from "./tail.ts";
import type { TextStyle } from "./text-style.ts";

/** Where a memory is. */
export interface LongTermMemoryOptions {
  readonly backend: Backend;
  /** The file, absolute, with every link resolved. It needn't be there yet. */
  readonly path: string;
  /** A private folder on this machine for what speeds searching up; `false` keeps that in memory. @default "~/.toolgate/memory" */
  readonly indexDirectory?: string | false;
  /** @default the machine's */
  readonly clock?: () => Date;
}

/** What is to be remembered, and the channel or session it comes from. */
export interface NewEntry {
  readonly source: string;
  readonly content: string;
}

/** An entry that was written, and how many there are now. */
export interface WrittenEntry {
  readonly entry: FoundEntry;
  readonly total: number;
}

/** What a search found: the best first, of equals the newest. */
export interface MemoryFindings {
  readonly entries: readonly FoundEntry[];
  readonly total: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
}

/** Entries, and how much there is in all. Absent when only the end of a large file was read. */
export interface ReadEntries {
  readonly entries: readonly FoundEntry[];
  readonly stats?: MemoryStats;
}

/** Why an entry is not the one that was meant; `undefined` when it is. */
export type EntryCheck = (entry: FoundEntry) => ToolgateError | undefined;

/** What an entry has at most. */
const MOST_CHARS = 64 * 1024;
/** A file that has grown by more isn't laid out only to show its end. */
const LITTLE_BYTES = 4 * 1024 * 1024;

/**
 * A memory: a text file with an entry a line, written by programs and people alike, and an index of it that is made anew whenever it
 * doesn't fit. Changes are made whole or not at all, by one at a time over all processes of this machine.
 */
export class LongTermMemory {
  readonly #file: MemoryFile;
  readonly #clock: () => Date;

  constructor(options: LongTermMemoryOptions) {
    const { backend, path, indexDirectory = defaultIndexDirectory(), clock = () => new Date() } = options;
    const directory = indexDirectory === false ? undefined : indexDirectoryOf(indexDirectory, backend, path);
    this.#file = new MemoryFile(backend, path, directory);
    this.#clock = clock;
  }

  /**
   * Adds an entry at the end.
   * @throws ToolgateError `invalid_input`, `too_large`, `no_space` and what else the backend says; nothing was written then
   */
  async write(entry: NewEntry, signal: AbortSignal): Promise<WrittenEntry> {
    checkContent(entry.content);
    return this.#file.change(signal, async ({ layout, stat }) => {
      const style = await this.#file.style(stat, signal);
      const dated = this.#dated(entry, style);
      const text = (style.isOpen ? style.eol : "") + lineOf(dated, style) + style.eol;
      const at = stat?.size ?? 0;
      await this.#file.put([{ from: at, to: at, bytes: encoded(style, text) }], stat, signal);
      const written = { ...dated, line: layout.lines + 1 };
      return { value: { entry: written, total: layout.entries + 1 }, hasGrown: true };
    });
  }

  /**
   * Puts another entry in one's place, with the day of today.
   * @throws ToolgateError `not_found` where there is no entry, what `check` says, and what {@link write} throws
   */
  async update(line: number, entry: NewEntry, check: EntryCheck, signal: AbortSignal): Promise<FoundEntry> {
    checkContent(entry.content);
    let dated: DatedEntry | undefined;
    await this.#edit({ first: line, last: line }, check, signal, (style) => {
      dated = this.#dated(entry, style);
      return lineOf(dated, style);
    });
    return { content: entry.content, ...dated, line };
  }

  /**
   * Empties the entries of some lines and answers how many there were. The lines stay, so that all others keep their numbers.
   * @throws ToolgateError `not_found` where there is no entry, what `check` says, and what the backend says
   */
  clear(
    lines: { readonly first: number; readonly last: number },
    check: EntryCheck,
    signal: AbortSignal,
  ): Promise<number> {
    return this.#edit(lines, check, signal, () => "");
  }

  /** Finds entries. @throws ToolgateError `invalid_input` when there is nothing in the keywords that could be looked for */
  search(
    query: MemoryQuery,
    most: number,
    signal: AbortSignal,
    progress: Progress = () => undefined,
  ): Promise<MemoryFindings> {
    return steadily(async () => {
      await this.#file.fill(signal, progress);
      const { ranking, layout } = await this.#file.index.ask((index, now) => {
        return { ranking: searchIndex(index, now, query, most), layout: now };
      });
      const { rows, total, isMore } = ranking;
      return { entries: await entriesOfRows(layout, rows, this.#file.reader(layout, signal)), total, isMore };
    });
  }

  /**
   * The last entries, the oldest first. Of a large file that has never been read only the end is: then lines are counted from there,
   * -1 is the last.
   */
  last(count: number, signal: AbortSignal): Promise<ReadEntries> {
    return steadily(async () => {
      const { isCurrent, layout, stat } = await this.#file.index.current(false);
      if (!isCurrent && stat !== undefined && Math.abs(stat.size - layout.bytes) > LITTLE_BYTES) {
        const { backend, path } = this.#file;
        return { entries: await tailEntries({ backend, path, stat, signal }, count) };
      }
      const now = isCurrent ? layout : (await this.#file.synced(signal)).layout;
      const entries = await lastEntries(now, count, this.#file.reader(now, signal));
      return { entries, stats: statsOf(now) };
    });
  }

  /** The entries of some lines, from 1; where there are none, there is nothing. */
  range(
    first: number,
    last: number,
    signal: AbortSignal,
  ): Promise<ReadEntries & { readonly stats: MemoryStats }> {
    return steadily(async () => {
      const { layout } = await this.#file.synced(signal);
      const entries = await entriesBetween(layout, first, last, this.#file.reader(layout, signal));
      return { entries, stats: statsOf(layout) };
    });
  }

  /** How much there is. */
  async stats(signal: AbortSignal): Promise<MemoryStats> {
    return statsOf((await this.#file.synced(signal)).layout);
  }

  /** The whole file as text, and its version. @throws ToolgateError `too_large` */
  async text(signal: AbortSignal): Promise<{ readonly text: string; readonly version: string }> {
    const { backend, path, index } = this.#file;
    const stat = await index.stat();
    if (stat === undefined) return { text: "", version: "absent" };
    const { codec } = await this.#file.style(stat, signal);
    const bytes = await backend.readFile(path, { realPath: path, signal });
    return { text: codec.decode(bytes.subarray(codec.encoding.bom)), version: stat.version };
  }

  /** Puts another text in the place of all there is, in the file's encoding. @throws ToolgateError `stale` when it isn't `ifVersion` any more */
  replace(text: string, ifVersion: string | undefined, signal: AbortSignal): Promise<void> {
    return this.#file.change(signal, async ({ stat }): Promise<Change<void>> => {
      if (ifVersion !== undefined && ifVersion !== (stat?.version ?? "absent")) {
        return new ToolgateError("stale", "The memory was changed since it was read; nothing was written.", {
          hint: "Read it again.",
        });
      }
      const style = await this.#file.style(stat, signal);
      const to = stat?.size ?? 0;
      const from = Math.min(style.codec.encoding.bom, to);
      await this.#file.put([{ from, to, bytes: encoded(style, text) }], stat, signal);
      return { value: undefined, hasGrown: false };
    });
  }

  #edit(
    lines: { readonly first: number; readonly last: number },
    check: EntryCheck,
    signal: AbortSignal,
    textOf: (style: TextStyle) => string,
  ): Promise<number> {
    const { first, last } = lines;
    const file = this.#file;
    return file.change(signal, async ({ layout, stat }): Promise<Change<number>> => {
      const entries = await entriesBetween(layout, first, last, file.reader(layout, signal));
      if (entries.length === 0) return noEntry(first, last, layout);
      const refusal = entries.map(check).find((found) => found !== undefined);
      if (refusal !== undefined) return refusal;
      const style = await file.style(stat, signal);
      const bytes = encoded(style, textOf(style));
      const edits: LineEdit[] = [];
      for (const { line } of entries) {
        edits.push({ ...(await file.placeOf(layout, line, style, signal)), bytes });
      }
      await file.put(edits, stat, signal);
      return { value: entries.length, hasGrown: false };
    });
  }

  #dated({ source, content }: NewEntry, { codec }: TextStyle): DatedEntry {
    const fits = (text: string): boolean => codec.encode(text) !== undefined;
    return { date: dayOf(this.#clock()), source: sourceName(source, fits), content };
  }
}

function lineOf(entry: DatedEntry, { codec }: TextStyle): string {
  return writeLine(entry, (text) => codec.encode(text) !== undefined);
}

function checkContent(content: string): void {
  if (content.trim() === "") {
    throw new ToolgateError("invalid_input", "The content is blank; there is nothing to remember.");
  }
  if (content.length <= MOST_CHARS) return;
  const text = `The content has ${content.length} characters; an entry has ${MOST_CHARS} at most.`;
  throw new ToolgateError("too_large", text, { hint: "Write it to a file, and remember where that is." });
}

/** Text in a file's encoding; an entry's line has been made to fit. @throws ToolgateError `invalid_input` */
function encoded({ codec }: TextStyle, text: string): Uint8Array {
  const bytes = codec.encode(text);
  if (bytes !== undefined) return bytes;
  const { name } = codec.encoding;
  throw new ToolgateError(
    "invalid_input",
    `The text has characters that ${name} hasn't, the file's encoding.`,
  );
}

function noEntry(first: number, last: number, { lines, entries }: Layout): ToolgateError {
  const what = first === last ? `line ${first}` : `the lines ${first} to ${last}`;
  return new ToolgateError("not_found", `There is no entry in ${what}.`, {
    hint: `The memory has ${counted(entries, "entry")} in ${counted(lines, "line")}; search or read shows their numbers.`,
  });
}
