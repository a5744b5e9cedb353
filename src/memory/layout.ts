import type { Block } from "./blocks.ts";
import type { IndexFile, Row } from "./index-file.ts";

/** Ids of two blocks that follow each other are so far apart: others fit between. */
const GAP = 16;
/** Rows of one block; the row of a line is its block's first and the line's place in it. */
const ROWS_OF_BLOCK = 4096;

/** A block and its place in the file. */
export interface PlacedBlock extends Block {
  readonly id: number;
  /** Bytes and lines before it. */
  readonly offset: number;
  readonly linesBefore: number;
  /** So many of its lines can be found by their words. */
  readonly indexed: number;
}

/** A memory's blocks, in their order. */
export interface Layout {
  readonly blocks: readonly PlacedBlock[];
  readonly bytes: number;
  readonly lines: number;
  readonly entries: number;
  /** The file's version that it says it is; "" for none. */
  readonly version: string;
}

/** Reads a layout out of an index. */
export function readLayout(index: IndexFile): Layout {
  const blocks: PlacedBlock[] = [];
  let [offset, linesBefore, entries] = [0, 0, 0];
  for (const row of index.rows("SELECT * FROM block ORDER BY id")) {
    const block = { ...blockOf(row), id: Number(row.id), indexed: Number(row.indexed), offset, linesBefore };
    blocks.push(block);
    offset += block.bytes;
    linesBefore += block.lines;
    entries += block.entries;
  }
  return { blocks, bytes: offset, lines: linesBefore, entries, version: index.about("version") ?? "" };
}

function blockOf(row: Row): Block {
  return {
    bytes: Number(row.bytes),
    lines: Number(row.lines),
    entries: Number(row.entries),
    digest: String(row.digest),
    isOpen: row.isOpen === 1,
    firstDay: String(row.firstDay),
    lastDay: String(row.lastDay),
    // Our own JSON, and only counts.
    sources: new Map<string, number>(JSON.parse(String(row.sources))),
  };
}

/** Puts blocks in the place of others: `from` up to but without `to` in the layout's order, and says which version the file has then. */
export function replaceBlocks(
  index: IndexFile,
  { blocks }: Layout,
  change: {
    readonly from: number;
    readonly to: number;
    readonly made: readonly Block[];
    readonly version: string;
  },
): void {
  const { from, made, version } = change;
  const ids = idsBetween(blocks[from - 1]?.id ?? 0, blocks[change.to]?.id, made.length);
  // Where no more ids fit, what follows has to be found anew.
  const isTight = ids === undefined;
  const to = isTight ? blocks.length : change.to;
  const all = isTight ? [...made, ...blocks.slice(change.to)] : made;
  const start = blocks[from - 1]?.id ?? 0;
  index.all(() => {
    removeBlocks(index, blocks, from, to);
    all.forEach((block, at) => {
      putBlock(index, ids?.[at] ?? start + (at + 1) * GAP, block);
    });
    index.note("version", version);
  });
}

/** Ids for new blocks; `undefined` where they don't fit. */
function idsBetween(before: number, after: number | undefined, count: number): readonly number[] | undefined {
  const room = after === undefined ? GAP * (count + 1) : after - before;
  const step = Math.floor(room / (count + 1));
  return step < 1 ? undefined : Array.from({ length: count }, (_, at) => before + (at + 1) * step);
}

function removeBlocks(index: IndexFile, blocks: readonly PlacedBlock[], from: number, to: number): void {
  const [first, last] = [blocks[from], blocks[to - 1]];
  if (first === undefined || last === undefined || to <= from) return;
  index.run("DELETE FROM block WHERE id BETWEEN ? AND ?", first.id, last.id);
  if (from === 0 && to === blocks.length) {
    index.execute("INSERT INTO entry(entry) VALUES ('delete-all')");
  } else if (blocks.slice(from, to).some(({ indexed }) => indexed > 0)) {
    index.run(
      "DELETE FROM entry WHERE rowid BETWEEN ? AND ?",
      rowOf(first.id, 0),
      rowOf(last.id, ROWS_OF_BLOCK - 1),
    );
  }
}

function putBlock(index: IndexFile, id: number, block: Block, indexed = 0): void {
  index.run(
    "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    id,
    block.bytes,
    block.lines,
    block.entries,
    block.digest,
    block.isOpen ? 1 : 0,
    block.firstDay,
    block.lastDay,
    JSON.stringify([...block.sources]),
    indexed,
  );
}

/** Lets the last block grow: its lines stay where they are, and more follow them. */
export function extendLast(
  index: IndexFile,
  last: PlacedBlock,
  change: { readonly grown: Block; readonly more: readonly Block[]; readonly version: string },
): void {
  const { grown, more, version } = change;
  index.all(() => {
    // Its last line may have become another.
    const kept = last.isOpen ? Math.min(last.indexed, last.lines - 1) : last.indexed;
    if (kept < last.indexed) index.run("DELETE FROM entry WHERE rowid = ?", rowOf(last.id, kept));
    index.run("DELETE FROM block WHERE id = ?", last.id);
    putBlock(index, last.id, grown, kept);
    more.forEach((block, at) => {
      putBlock(index, last.id + (at + 1) * GAP, block);
    });
    index.note("version", version);
  });
}

/** The row that a line of a block has in the index of words. */
export function rowOf(blockId: number, line: number): number {
  return blockId * ROWS_OF_BLOCK + line;
}

/** Which block's which line a row is. */
export function lineOfRow(row: number): { readonly blockId: number; readonly line: number } {
  return { blockId: Math.floor(row / ROWS_OF_BLOCK), line: row % ROWS_OF_BLOCK };
}

/** The place of the block that holds a line, counted from 0; -1 when none does. */
export function blockAt(layout: Layout, line: number): number {
  let [low, high] = [0, layout.blocks.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const block = layout.blocks[middle];
    if (block === undefined) return -1;
    if (line < block.linesBefore) high = middle - 1;
    else if (line >= block.linesBefore + block.lines) low = middle + 1;
    else return middle;
  }
  return -1;
}
