import type { Backend, FileStat } from "../backend.ts";
import { blockLines, lineEnd, nextLine } from "./blocks.ts";
import { type MemoryEntry, readLine } from "./entry-line.ts";
import { textStyle } from "./text-style.ts";

/** Read at first; more only if the entries are long. */
const PORTION = 64 * 1024;

/** The last entries of a file, without reading what is before them, the oldest first. `line` counts from the end: -1 is the last line. */
export async function tailEntries(
  file: {
    readonly backend: Backend;
    readonly path: string;
    readonly stat: FileStat;
    readonly signal: AbortSignal;
  },
  count: number,
): Promise<readonly (MemoryEntry & { readonly line: number })[]> {
  const { backend, path, stat, signal } = file;
  const { codec } = await textStyle(backend, path, stat, signal);
  const end = lineEnd(codec);
  for (let portion = PORTION; ; portion *= 4) {
    const start = Math.max(0, stat.size - portion);
    // At a whole unit, so that no newline is mistaken.
    const offset = start - (start % end.unit);
    const part = Buffer.from(await backend.readFile(path, { offset, realPath: path, signal }));
    const from = offset === 0 ? 0 : nextLine(part, 0, end);
    const lines = from < 0 ? [] : blockLines(part.subarray(from), codec, offset === 0);
    const entries = lines.flatMap((text, at) => {
      const entry = readLine(text);
      return entry === undefined ? [] : [{ ...entry, line: at - lines.length }];
    });
    if (entries.length >= count || offset === 0) return count === 0 ? [] : entries.slice(-count);
  }
}
