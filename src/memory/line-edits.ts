import type { Backend } from "../backend.ts";
import { type LineEnd, nextLine } from "./blocks.ts";

/** A part of a file that becomes another; `from` up to but without `to`, in bytes. */
export interface LineEdit {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** Where a line of a block is in the block, its end not included; lines are counted from 0. */
export function lineRange(
  bytes: Buffer,
  line: number,
  end: LineEnd,
): { readonly from: number; readonly to: number } {
  let from = 0;
  for (let at = 0; at < line; at += 1) from = nextLine(bytes, from, end);
  const next = nextLine(bytes, from, end);
  if (next < 0) return { from, to: bytes.length };
  const to = next - end.newline.length;
  const before = to - end.newline.length;
  // A carriage return in front of it belongs to the end: the same bytes with 13 for 10.
  const isReturn =
    before >= from && bytes.subarray(before, to).equals(end.newline.map((byte) => (byte === 10 ? 13 : byte)));
  return { from, to: isReturn ? before : to };
}

/** A file's bytes with some of them replaced. The edits are in order and don't touch each other. */
export async function* edited(
  file: { readonly backend: Backend; readonly path: string; readonly size: number },
  edits: readonly LineEdit[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { backend, path, size } = file;
  let at = 0;
  for (const { from, to, bytes } of [...edits, { from: size, to: size, bytes: new Uint8Array() }]) {
    if (from > at) {
      yield* backend.readStream(path, { offset: at, length: from - at, realPath: path, signal });
    }
    if (bytes.length > 0) yield bytes;
    at = to;
  }
}
