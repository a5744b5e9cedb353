import type { posix } from "node:path";
import type { FileStat, WriteFileOptions } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { checkAborted } from "../system-error.ts";
import { describeNode, type MemoryFile, type MemoryTree } from "./tree.ts";

/** Replaces or extends a file. The data is taken whole before anything changes. */
export async function writeNode(
  tree: MemoryTree,
  paths: typeof posix,
  target: { readonly path: string; readonly data: Uint8Array | AsyncIterable<Uint8Array> },
  how: WriteFileOptions,
): Promise<FileStat> {
  const { path, data } = target;
  checkAborted(how.signal, path);
  const parent = paths.dirname(path);
  checkLeadsTo(path, tree.find(path, false).path, how.realPath);
  if (how.parents) tree.makeDirectory(parent);
  if (tree.get(parent).kind !== "directory") {
    throw new ToolgateError("not_a_directory", `Not a directory: ${parent}`);
  }
  replaceable(tree, path, how);
  const bytes = await collect(data, how.signal, path);
  // Looked at again: others had their turn while the data came.
  const before = replaceable(tree, path, how);
  if (how.append && before !== undefined) {
    tree.refill(before, concat([before.data, bytes]));
    return describeNode(before);
  }
  const file = tree.file(bytes, before?.mode ?? how.mode ?? 0o644);
  tree.put(tree.find(path, false), file);
  return describeNode(file);
}

/** Refuses a path that leads elsewhere than it did when it was judged. */
export function checkLeadsTo(path: string, actual: string, realPath: string | undefined): void {
  if (realPath === undefined || actual === realPath) return;
  throw new ToolgateError("stale", `${path} no longer leads to ${realPath}.`, {
    hint: "A link or directory on the way was changed. Look again before going on.",
  });
}

/** The file that is to be replaced, if there is one. */
function replaceable(tree: MemoryTree, path: string, how: WriteFileOptions): MemoryFile | undefined {
  const place = tree.find(path, false);
  const { node } = place;
  if (node?.kind === "symlink") {
    throw new ToolgateError("unsupported", `Is a symbolic link: ${path}`, {
      hint: "Write to the file it points to, by that file's own path.",
    });
  }
  checkLeadsTo(path, place.path, how.realPath);
  if (node?.kind === "directory") throw new ToolgateError("not_a_file", `Is a directory: ${path}`);
  const version = node === undefined ? "absent" : describeNode(node).version;
  if (how.ifVersion !== undefined && how.ifVersion !== version) {
    throw new ToolgateError("stale", `${path} has changed since it was looked at.`, {
      hint: "Read it again before writing.",
    });
  }
  return node;
}

async function collect(
  data: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  path: string,
): Promise<Uint8Array> {
  if (data instanceof Uint8Array) return new Uint8Array(data);
  const pieces: Uint8Array[] = [];
  for await (const piece of data) {
    checkAborted(signal, path);
    pieces.push(new Uint8Array(piece));
  }
  return concat(pieces);
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
