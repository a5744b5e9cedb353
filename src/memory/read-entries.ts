import { type MemoryEntry, readLine } from "./entry-line.ts";
import { blockAt, type Layout, lineOfRow, type PlacedBlock } from "./layout.ts";

/** An entry and its line in the file, from 1; what is shown of a file that wasn't laid out counts from its end, -1 is the last. */
export interface FoundEntry extends MemoryEntry {
  readonly line: number;
}

/** Gives a block's lines. @throws ToolgateError `stale` when they aren't there any more */
export type BlockReader = (block: PlacedBlock) => Promise<readonly string[]>;

/** The entries that rows of the index stand for, in their order. */
export async function entriesOfRows(
  layout: Layout,
  rows: readonly number[],
  read: BlockReader,
): Promise<readonly FoundEntry[]> {
  const byId = new Map(layout.blocks.map((block) => [block.id, block]));
  const entries = rows.map(async (row): Promise<readonly FoundEntry[]> => {
    const { blockId, line } = lineOfRow(row);
    const block = byId.get(blockId);
    if (block === undefined) return [];
    const entry = readLine((await read(block))[line] ?? "");
    return entry === undefined ? [] : [{ ...entry, line: block.linesBefore + line + 1 }];
  });
  return (await Promise.all(entries)).flat();
}

/** The entries of lines `first` to `last`. */
export async function entriesBetween(
  layout: Layout,
  first: number,
  last: number,
  read: BlockReader,
): Promise<readonly FoundEntry[]> {
  const found: FoundEntry[] = [];
  const start = blockAt(layout, Math.max(1, first) - 1);
  for (let at = start; at >= 0 && at < layout.blocks.length; at += 1) {
    const block = layout.blocks[at];
    if (block === undefined || block.linesBefore >= last) break;
    found.push(...entriesOf(block, await read(block)).filter(({ line }) => line >= first && line <= last));
  }
  return found;
}

/** The last entries, the oldest first. */
export async function lastEntries(
  { blocks }: Layout,
  count: number,
  read: BlockReader,
): Promise<readonly FoundEntry[]> {
  let found: readonly FoundEntry[] = [];
  for (const block of blocks.toReversed()) {
    if (found.length >= count) break;
    found = [...entriesOf(block, await read(block)), ...found];
  }
  return count === 0 ? [] : found.slice(-count);
}

function entriesOf({ linesBefore }: PlacedBlock, lines: readonly string[]): readonly FoundEntry[] {
  return lines.flatMap((text, at) => {
    const entry = readLine(text);
    return entry === undefined ? [] : [{ ...entry, line: linesBefore + at + 1 }];
  });
}
