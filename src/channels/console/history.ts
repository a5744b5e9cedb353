import { constants } from "node:fs";
import { lstat, mkdir, open, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { Turns } from "../../lib/turns.ts";
import { type ConsoleEntry, type ConsoleFile, readEntry } from "./entry.ts";

/** A file that is put into the history. */
export interface NewConsoleFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Something new for the history. */
export interface NewConsoleEntry {
  readonly from: ConsoleEntry["from"];
  readonly text: string;
  readonly files?: readonly NewConsoleFile[];
}

const MOST_ENTRIES = 1000;
/** Of a file that has grown beyond it only the end is read, and kept. */
const MOST_BYTES = 16 * 1024 * 1024;
/** For its owner only: it holds what people wrote. A link in its place isn't followed. */
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/**
 * The console's conversation on disk: a line of JSON an entry, and the files beside it. What `append` has answered outlives the
 * process.
 */
export class ConsoleHistory {
  readonly #directory: string;
  readonly #turns = new Turns();
  readonly #listeners = new Set<(entry: ConsoleEntry) => void>();
  #entries: ConsoleEntry[] | undefined;
  #isBroken = false;

  /** Made with the first entry. Absolute. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The latest entries, oldest first. */
  entries(signal: AbortSignal): Promise<readonly ConsoleEntry[]> {
    return this.#turns.take(async () => [...(await this.#load())], signal);
  }

  /** Keeps an entry and tells whoever listens. @throws what the file system throws; then nothing of it is shown */
  append({ from, text, files = [] }: NewConsoleEntry, signal: AbortSignal): Promise<ConsoleEntry> {
    return this.#turns.take(async () => {
      const entries = await this.#load();
      await this.#prepare();
      const kept: ConsoleFile[] = [];
      for (const file of files) kept.push(await this.#keepFile(file));
      const entry: ConsoleEntry = {
        id: randomHex(8),
        at: new Date().toISOString(),
        from,
        text,
        files: kept,
      };
      await this.#write(`${JSON.stringify(entry)}\n`);
      entries.push(entry);
      if (entries.length > 2 * MOST_ENTRIES) await this.#shorten(entries);
      for (const listener of this.#listeners) listener(entry);
      return entry;
    }, signal);
  }

  /** A file of an entry, with its bytes; `undefined` for an id that no entry has. */
  async file(id: string, signal: AbortSignal): Promise<NewConsoleFile | undefined> {
    const known = (await this.entries(signal)).flatMap(({ files }) => files).find((file) => file.id === id);
    if (known === undefined) return undefined;
    const { name, mediaType } = known;
    return { name, mediaType, bytes: await readFile(this.#filePath(id), { signal }) };
  }

  /** Tells `listener` each new entry, until the function that is answered is called. */
  onEntry(listener: (entry: ConsoleEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #load(): Promise<ConsoleEntry[]> {
    if (this.#entries !== undefined) return this.#entries;
    const text = await readEnd(this.#path);
    const entries = text.split("\n").flatMap((line) => readEntry(line) ?? []);
    // What a process left half-written takes no other line with it.
    this.#isBroken = text !== "" && !text.endsWith("\n");
    if (entries.length > MOST_ENTRIES) await this.#shorten(entries);
    this.#entries = entries;
    return entries;
  }

  /** Takes the oldest out of a list, and out of the file with the files that they had. */
  async #shorten(entries: ConsoleEntry[]): Promise<void> {
    const over = entries.splice(0, entries.length - MOST_ENTRIES);
    const next = `${this.#path}.${randomHex(4)}`;
    await writeFile(next, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), {
      mode: 0o600,
      flag: "wx",
    });
    await rename(next, this.#path);
    this.#isBroken = false;
    for (const { id } of over.flatMap(({ files }) => files)) await rm(this.#filePath(id), { force: true });
  }

  /** The folder, and nowhere but where it is said to be: what came with a project may be a link to elsewhere. */
  async #prepare(): Promise<void> {
    await mkdir(dirname(this.#directory), { recursive: true });
    for (const path of [this.#directory, join(this.#directory, "media")]) {
      await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
        if (!isObject(error) || error.code !== "EEXIST") throw error;
      });
      if ((await lstat(path)).isDirectory()) continue;
      throw new ToolgateError(
        "denied",
        `${path} is no directory of its own; the console keeps nothing there.`,
      );
    }
  }

  async #keepFile({ name, mediaType, bytes }: NewConsoleFile): Promise<ConsoleFile> {
    const id = randomHex(16);
    const handle = await open(this.#filePath(id), "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.datasync();
    } catch (error) {
      await unlink(this.#filePath(id)).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
    return { id, name, mediaType, size: bytes.length };
  }

  async #write(line: string): Promise<void> {
    const handle = await open(this.#path, APPEND, 0o600);
    try {
      await handle.appendFile(this.#isBroken ? `\n${line}` : line);
      this.#isBroken = false;
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  get #path(): string {
    return join(this.#directory, "history.jsonl");
  }

  #filePath(id: string): string {
    return join(this.#directory, "media", id);
  }
}

async function readEnd(path: string): Promise<string> {
  try {
    const handle = await open(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return "";
      const start = Math.max(0, stat.size - MOST_BYTES);
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(stat.size - start),
        0,
        stat.size - start,
        start,
      );
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isObject(error) && error.code === "ENOENT") return "";
    throw error;
  }
}
