import type { Backend, FileStat } from "../backend.ts";
import type { Codec } from "../lib/encoding.ts";
import { type Block, describeBlock, digestOf, firstBlock, lineEnd } from "./blocks.ts";
import { ByteReader } from "./byte-reader.ts";
import type { IndexFile } from "./index-file.ts";
import { extendLast, type Layout, replaceBlocks } from "./layout.ts";
import { textStyle } from "./text-style.ts";

/** A memory's file, as one version of it. */
export interface FileState {
  readonly backend: Backend;
  /** Real. */
  readonly path: string;
  readonly stat: FileStat;
  readonly signal: AbortSignal;
}

/** A portion that is read at a time, more than a block usually has. */
const PORTION = 256 * 1024;

/**
 * Makes a layout that of a file as it is now. What hasn't changed before and behind an edit is only compared; when the file has but
 * grown, that is all before its end. `hasGrown`: it is known to have, so nothing needs comparing.
 */
export async function syncLayout(
  index: IndexFile,
  layout: Layout,
  file: FileState,
  hasGrown = false,
): Promise<void> {
  const { codec } = await textStyle(file.backend, file.path, file.stat, file.signal);
  const { blocks } = layout;
  const { version } = file.stat;
  const same = hasGrown ? blocks.length : await sameBefore(layout, file);
  const last = blocks.at(-1);
  if (same === blocks.length && last !== undefined) {
    if (layout.bytes === file.stat.size) return index.note("version", version);
    const [grown, ...more] = await blocksBetween(file, codec, last.offset, file.stat.size);
    if (grown !== undefined) return extendLast(index, last, { grown, more, version });
  }
  const from = blocks[same]?.offset ?? layout.bytes;
  const to = await sameBehind(layout, same, file);
  const behind = blocks.slice(to).reduce((sum, { bytes }) => sum + bytes, 0);
  const made = await blocksBetween(file, codec, from, file.stat.size - behind);
  if (to < blocks.length && made.at(-1)?.isOpen === true) {
    // The first line behind the edit was joined to the last one of it.
    const rest = await blocksBetween(file, codec, from, file.stat.size);
    return replaceBlocks(index, layout, { from: same, to: blocks.length, made: rest, version });
  }
  replaceBlocks(index, layout, { from: same, to, made, version });
}

function stream({ backend, path, signal }: FileState, offset: number): ByteReader {
  return new ByteReader(backend.readStream(path, { offset, realPath: path, signal }));
}

/** How many blocks from the first on are as they were. */
async function sameBefore({ blocks }: Layout, file: FileState): Promise<number> {
  if (blocks.length === 0) return 0;
  await using reader = stream(file, 0);
  for (const [at, { bytes, digest }] of blocks.entries()) {
    if (digestOf(await reader.take(bytes)) !== digest) return at;
  }
  return blocks.length;
}

/** From which block on the file's end is as it was, if `changed` is the first one that isn't. */
async function sameBehind(layout: Layout, changed: number, file: FileState): Promise<number> {
  const behind = layout.blocks.slice(changed + 1);
  const start = file.stat.size - behind.reduce((sum, { bytes }) => sum + bytes, 0);
  if (behind.length === 0 || start < (layout.blocks[changed]?.offset ?? 0)) return layout.blocks.length;
  let first = changed + 1;
  await using reader = stream(file, start);
  for (const [at, { bytes, digest }] of behind.entries()) {
    if (digestOf(await reader.take(bytes)) !== digest) first = changed + 1 + at + 1;
  }
  return first;
}

/** The blocks of a part of the file. */
async function blocksBetween(
  file: FileState,
  codec: Codec,
  from: number,
  to: number,
): Promise<readonly Block[]> {
  const end = lineEnd(codec);
  const made: Block[] = [];
  if (to <= from) return made;
  await using reader = stream(file, from);
  for (let at = from, wanted = PORTION; at < to; ) {
    const held = await reader.peek(Math.min(wanted, to - at));
    const part = held.subarray(0, to - at);
    const filled = firstBlock(part, end, part.length === to - at || reader.isOver);
    if (filled === undefined && !reader.isOver) {
      wanted *= 2; // one line that is longer than all that was held
      continue;
    }
    if (filled === undefined || filled.end === 0) break;
    made.push(describeBlock(await reader.take(filled.end), codec, at === 0));
    at += filled.end;
    wanted = PORTION;
  }
  return made;
}
