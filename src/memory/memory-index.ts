import type { Backend, FileStat } from "../backend.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import type { Codec } from "../lib/encoding.ts";
import { blockLines, digestOf } from "./blocks.ts";
import { fillWords, pendingLines, tidyWords } from "./fill-words.ts";
import { IndexFile, removeIndex } from "./index-file.ts";
import { type Layout, type PlacedBlock, readLayout, replaceBlocks } from "./layout.ts";
import { isBusy, isDamaged, isSqliteFailure } from "./sqlite-failure.ts";
import { syncLayout } from "./sync-layout.ts";
import { textStyle } from "./text-style.ts";

/** Which file, and where what is known of it is kept. */
export interface IndexedFile {
  readonly backend: Backend;
  /** Absolute and real, in the backend's flavour. */
  readonly path: string;
  /** Private, on this machine. `undefined` keeps nothing. */
  readonly directory: string | undefined;
}

/** A file as it was when it was last looked at. */
export interface Snapshot {
  readonly layout: Layout;
  /** `undefined` when there is no file. */
  readonly stat: FileStat | undefined;
}

/** Tells how far a long piece of work is, in lines. */
export type Progress = (done: number, total: number) => void;

/** The version of a file that isn't there. */
const ABSENT = "absent";
/** Blocks whose lines are kept at hand. */
const KEPT_BLOCKS = 64;

/** What is known of a memory's file: where its lines are, and which words they have. Whatever happens to it, it is made from the file again. */
export class MemoryIndex {
  readonly #file: IndexedFile;
  #index: Promise<IndexFile> | undefined;
  #layout: { readonly key: string; readonly layout: Layout } | undefined;
  #codec: { readonly version: string; readonly codec: Codec } | undefined;
  readonly #lines = new Map<string, readonly string[]>();
  /** Something didn't hold: the file is compared with what is known of it, whatever its version. */
  #isDoubtful = false;

  constructor(file: IndexedFile) {
    this.#file = file;
  }

  /** Whether the layout is that of the file, and with `words` whether each line can be found by its words. */
  async current(words: boolean): Promise<Snapshot & { readonly isCurrent: boolean }> {
    const stat = await this.stat();
    return this.#use((index) => {
      const layout = this.#layoutOf(index);
      const isFilled = !words || (pendingLines(layout) === 0 && index.about("words") !== "behind");
      const isCurrent = layout.version === (stat?.version ?? ABSENT) && !this.#isDoubtful && isFilled;
      return { layout, stat, isCurrent };
    });
  }

  /** Makes the layout that of the file. Only for who holds the lock; `hasGrown` when the file is known to have but grown. */
  async sync(signal: AbortSignal, hasGrown = false): Promise<Snapshot> {
    return this.#use(async (index) => {
      const stat = await this.stat();
      const layout = this.#layoutOf(index);
      const version = stat?.version ?? ABSENT;
      if (layout.version === version && !this.#isDoubtful) return { layout, stat };
      if (stat === undefined) {
        replaceBlocks(index, layout, { from: 0, to: layout.blocks.length, made: [], version });
      } else {
        await syncLayout(index, layout, { ...this.#file, stat, signal }, hasGrown);
      }
      this.#isDoubtful = false;
      return { layout: this.#layoutOf(index), stat };
    });
  }

  /**
   * Makes a number of lines of a version known by their words. Only for who holds the lock, after {@link sync}. True when no line is
   * left; false too when the version isn't there any more.
   */
  async fill(version: string, signal: AbortSignal, progress: Progress): Promise<boolean> {
    return this.#use(async (index) => {
      const layout = this.#layoutOf(index);
      if (layout.version !== version) return false;
      if (pendingLines(layout) === 0) {
        await tidyWords(index, signal);
        return true;
      }
      const codec = await this.codec(layout.version, signal);
      const isWhole = await fillWords(index, layout, { ...this.#file, signal, codec });
      // What was laid out isn't there any more: it is laid out anew.
      if (!isWhole) this.#isDoubtful = true;
      const now = this.#layoutOf(index);
      progress(now.lines - pendingLines(now), now.lines);
      return isWhole && pendingLines(now) === 0 && index.about("words") !== "behind";
    });
  }

  /** Asks the index, together with the layout that its rows belong to. @throws ToolgateError `stale` when it had to be made anew */
  ask<T>(question: (index: IndexFile, layout: Layout) => T): Promise<T> {
    return this.#use((index) => {
      const layout = this.#layoutOf(index);
      if (layout.version === "") throw new ToolgateError("stale", "The memory's index was lost meanwhile.");
      return question(index, layout);
    });
  }

  /** A block's bytes, as the layout says they are. @throws ToolgateError `stale` when they aren't any more */
  async bytes({ offset, bytes: length, digest }: PlacedBlock, signal: AbortSignal): Promise<Uint8Array> {
    const { backend, path } = this.#file;
    const bytes = await backend.readFile(path, { offset, length, realPath: path, signal });
    if (digestOf(bytes) === digest) return bytes;
    // Either the file was changed just now, or the index lies.
    this.#isDoubtful = true;
    throw new ToolgateError("stale", `${path} was changed while it was read.`);
  }

  /** A block's lines, as the layout says they are. @throws ToolgateError `stale` when they aren't any more */
  async lines(block: PlacedBlock, layout: Layout, signal: AbortSignal): Promise<readonly string[]> {
    const key = `${block.offset === 0 ? "first " : ""}${block.digest}`;
    const known = this.#lines.get(key);
    this.#lines.delete(key);
    const lines =
      known ??
      blockLines(
        await this.bytes(block, signal),
        await this.codec(layout.version, signal),
        block.offset === 0,
      );
    this.#lines.set(key, lines);
    for (const oldest of this.#lines.keys()) {
      if (this.#lines.size <= KEPT_BLOCKS) break;
      this.#lines.delete(oldest);
    }
    return lines;
  }

  /** How the file is written. */
  async codec(version: string, signal: AbortSignal): Promise<Codec> {
    if (this.#codec?.version === version) return this.#codec.codec;
    const { backend, path } = this.#file;
    const { codec } = await textStyle(backend, path, await backend.stat(path), signal);
    this.#codec = { version, codec };
    return codec;
  }

  /** The file's state; `undefined` when it isn't there. @throws ToolgateError `not_a_file` */
  async stat(): Promise<FileStat | undefined> {
    const { backend, path } = this.#file;
    try {
      const stat = await backend.stat(path);
      if (stat.kind === "file") return stat;
      throw new ToolgateError("not_a_file", `${path} is no plain file, so it can't be the memory.`);
    } catch (error) {
      if (isToolgateError(error, "not_found")) return undefined;
      throw error;
    }
  }

  /** Another process may have changed it, and so may we. */
  #layoutOf(index: IndexFile): Layout {
    const ours = index.row("SELECT total_changes() AS n")?.n;
    const key = `${index.row("PRAGMA data_version")?.data_version} ${ours}`;
    if (this.#layout?.key === key) return this.#layout.layout;
    const layout = readLayout(index);
    this.#layout = { key, layout };
    return layout;
  }

  /** Uses the index; one that fails is left, and the work is done with another. */
  async #use<T>(work: (index: IndexFile) => T | Promise<T>): Promise<T> {
    this.#index ??= IndexFile.open(this.#file.directory);
    const opened = this.#index;
    try {
      return await work(await opened);
    } catch (error) {
      if (!isSqliteFailure(error)) throw error;
      if (isBusy(error)) throw busy(error);
      // Somebody else in this process may have replaced it already.
      if (this.#index === opened) this.#index = this.#replaced(opened, isDamaged(error));
      return work(await this.#index);
    }
  }

  /** A damaged index is made anew where it was; where nothing can be written it is made in memory. */
  async #replaced(former: Promise<IndexFile>, isDamagedOne: boolean): Promise<IndexFile> {
    const directory = isDamagedOne ? this.#file.directory : undefined;
    try {
      (await former).close();
    } catch {
      // It is left for good anyway.
    }
    if (directory !== undefined) removeIndex(directory);
    this.#layout = undefined;
    return IndexFile.open(directory);
  }
}

function busy(cause: unknown): ToolgateError {
  return new ToolgateError("store_unavailable", "Another process keeps the memory's index to itself.", {
    hint: "Try again later.",
    cause,
  });
}
