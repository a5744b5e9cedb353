import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, open, readdir, readlink, stat, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { MODE_BITS, type Tree, type TreeEntry, type TreeFile } from "./entry.ts";

const PIECE_BYTES = 256 * 1024;

/** The full path of a folder of this machine. @throws ToolgateError `not_found`, `not_a_directory` */
export async function folderHere(path: string): Promise<string> {
  const full = resolve(path);
  const found = await stat(full).catch(() => undefined);
  if (found?.isDirectory()) return full;
  if (found === undefined) throw new ToolgateError("not_found", `${full} doesn't exist.`);
  throw new ToolgateError("not_a_directory", `${full} is no folder.`);
}

/** A folder of this machine as a tree, in the order of names. Links are told of, never followed. */
export async function* hostTree(folder: string, below = ""): Tree {
  const names = await readdir(join(folder, below));
  for (const name of names.sort()) {
    const path = below === "" ? name : `${below}/${name}`;
    const entry = await entryAt(folder, path);
    yield entry;
    if (entry.kind === "directory") yield* hostTree(folder, path);
  }
}

async function entryAt(folder: string, path: string): Promise<TreeEntry> {
  const full = join(folder, path);
  const found = await lstat(full);
  const { size } = found;
  const mode = found.mode & MODE_BITS;
  if (found.isFile()) return { path, kind: "file", mode, size, content: () => contentOf(full, size) };
  if (found.isDirectory()) return { path, kind: "directory", mode };
  if (found.isSymbolicLink()) return { path, kind: "symlink", mode, target: await readlink(full) };
  return { path, kind: "other", mode };
}

async function* contentOf(full: string, size: number): AsyncGenerator<Uint8Array> {
  // What was a file when it was looked at must not have become a link.
  await using file = await open(full, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Writes a tree that a guard has let through into an empty directory of this machine that nobody else writes to. */
export async function writeHostTree(directory: string, tree: Tree): Promise<void> {
  // A directory that can't be written is made so when all is in it.
  const modes = new Map<string, number>();
  for await (const entry of tree) {
    const full = join(directory, entry.path);
    await mkdir(entry.kind === "directory" ? full : dirname(full), { recursive: true, mode: 0o755 });
    if (entry.kind === "directory") modes.set(full, entry.mode);
    else await writeEntry(directory, full, entry);
  }
  for (const [full, mode] of [...modes].reverse()) await chmod(full, mode);
}

async function writeEntry(directory: string, full: string, entry: TreeEntry): Promise<void> {
  if (entry.kind === "file") await writeFile(full, entry);
  else if (entry.kind === "symlink") await symlink(entry.target, full);
  else if (entry.kind === "hardlink")
    await copyFile(join(directory, entry.target), full, constants.COPYFILE_EXCL);
  else throw new ToolgateError("internal", `${entry.path} can't be written.`);
}

async function writeFile(full: string, file: TreeFile): Promise<void> {
  await using handle = await open(full, "wx", 0o600);
  for await (const piece of file.content()) await handle.writeFile(piece);
  await handle.chmod(file.mode);
}
