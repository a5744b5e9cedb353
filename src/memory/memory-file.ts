import type { Backend, FileStat } from "../backend.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { codecFor, UTF8 } from "../lib/encoding.ts";
import { lineEnd } from "./blocks.ts";
import { blockAt, type Layout } from "./layout.ts";
import { edited, type LineEdit, lineRange } from "./line-edits.ts";
import { MemoryIndex, type Progress, type Snapshot } from "./memory-index.ts";
import { PlaceLock } from "./place-lock.ts";
import type { BlockReader } from "./read-entries.ts";
import { type TextStyle, textStyle } from "./text-style.ts";

/** What became of a change: a value, or why it wasn't made. `hasGrown`: something was added at the end, and nothing else. */
export type Change<T> = { readonly value: T; readonly hasGrown: boolean } | ToolgateError;

/** Attempts before a file that others write to all the time is given up. */
const ATTEMPTS = 20;

/** A memory's file with what is known of it: read as one state, changed as a whole, by one at a time. */
export class MemoryFile {
  readonly backend: Backend;
  readonly path: string;
  readonly index: MemoryIndex;
  readonly #lock: PlaceLock;

  /** `directory` is for the index and the lock, on this machine; `undefined` keeps none. */
  constructor(backend: Backend, path: string, directory: string | undefined) {
    this.backend = backend;
    this.path = path;
    this.index = new MemoryIndex({ backend, path, directory });
    this.#lock = new PlaceLock(directory);
  }

  /** The file, laid out as it is now. */
  async synced(signal: AbortSignal): Promise<Snapshot> {
    const { isCurrent, layout, stat } = await this.index.current(false);
    return isCurrent ? { layout, stat } : this.#lock.hold(() => this.index.sync(signal), signal);
  }

  /** Makes every line known by its words. Others may write between two portions of it. */
  async fill(signal: AbortSignal, progress: Progress): Promise<void> {
    let isFilled = (await this.index.current(true)).isCurrent;
    const portion = async (): Promise<boolean> => {
      const { layout } = await this.index.sync(signal);
      return this.index.fill(layout.version, signal, progress);
    };
    while (!isFilled) isFilled = await this.#lock.hold(portion, signal);
  }

  /** Reads blocks of a layout. */
  reader(layout: Layout, signal: AbortSignal): BlockReader {
    return (block) => this.index.lines(block, layout, signal);
  }

  /** How the file is written, or a new one is going to be. */
  async style(stat: FileStat | undefined, signal: AbortSignal): Promise<TextStyle> {
    if (stat !== undefined && stat.size > 0) return textStyle(this.backend, this.path, stat, signal);
    return { codec: await codecFor(UTF8), eol: "\n", isOpen: false };
  }

  /** Changes the file. What came between is looked at again. @throws the refusal that `work` answers, and what the backend says */
  async change<T>(signal: AbortSignal, work: (now: Snapshot) => Promise<Change<T>>): Promise<T> {
    const change = await this.#lock.hold(async () => {
      const made = await steadily(async () => work(await this.index.sync(signal)));
      // What is written is written: if the index can't follow now, it will.
      if (!(made instanceof ToolgateError))
        await this.index.sync(signal, made.hasGrown).catch(() => undefined);
      return made;
    }, signal);
    if (change instanceof ToolgateError) throw change;
    return change.value;
  }

  /** Writes the file anew, with some of its bytes replaced. @throws ToolgateError `stale` when it isn't the one in the snapshot any more */
  async put(edits: readonly LineEdit[], stat: FileStat | undefined, signal: AbortSignal): Promise<void> {
    const { backend, path } = this;
    const data = edited({ backend, path, size: stat?.size ?? 0 }, edits, signal);
    const [ifVersion, parents] = [stat?.version ?? "absent", stat === undefined];
    await backend.writeFile(path, data, { ifVersion, parents, realPath: path, signal });
  }

  /** Where a line's bytes are in the file; lines are counted from 1. */
  async placeOf(
    layout: Layout,
    line: number,
    { codec }: TextStyle,
    signal: AbortSignal,
  ): Promise<Omit<LineEdit, "bytes">> {
    const block = layout.blocks[blockAt(layout, line - 1)];
    if (block === undefined) throw new ToolgateError("not_found", `There is no line ${line}.`);
    const bytes = Buffer.from(await this.index.bytes(block, signal));
    const { from, to } = lineRange(bytes, line - 1 - block.linesBefore, lineEnd(codec));
    const mark = line === 1 ? codec.encoding.bom : 0;
    return { from: block.offset + from + mark, to: block.offset + to };
  }
}

/** Does again what somebody else came between. */
export async function steadily<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isToolgateError(error, "stale") || attempt === ATTEMPTS) throw error;
    }
  }
}
