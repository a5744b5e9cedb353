import type { Layout } from "./layout.ts";

/** How much a memory holds. */
export interface MemoryStats {
  /** Entries: all lines that aren't blank. */
  readonly total: number;
  readonly lines: number;
  readonly bytes: number;
  /** How many entries each source has; what people wrote in a form of their own has none. */
  readonly sources: ReadonlyMap<string, number>;
  /** The earliest and the latest day, wherever they stand; absent when no entry has one. */
  readonly days?: { readonly first: string; readonly last: string };
}

/** Adds up what is known of the blocks. */
export function statsOf({ blocks, entries: total, lines, bytes }: Layout): MemoryStats {
  const sources = new Map<string, number>();
  let [first, last] = ["", ""];
  for (const block of blocks) {
    for (const [source, count] of block.sources) sources.set(source, (sources.get(source) ?? 0) + count);
    if (block.firstDay !== "" && (first === "" || block.firstDay < first)) first = block.firstDay;
    if (block.lastDay > last) last = block.lastDay;
  }
  return { total, lines, bytes, sources, ...(first === "" ? {} : { days: { first, last } }) };
}
