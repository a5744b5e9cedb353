import { accessSync, constants, linkSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { type FileHandle, lstat, open, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileStat, WriteFileOptions } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { checkAborted, checkPath, errorCode, systemError } from "../system-error.ts";
import { appendTo } from "./append.ts";
import { makeDirectory } from "./files.ts";
import { type Data, fill } from "./fill.ts";
import { checkLeadsTo, checkResolves } from "./leads-to.ts";
import { describeStat } from "./stat.ts";

/** A crash may leave one temporary file per target and slot; one older than this belongs to nobody. */
const ABANDONED_MS = 60_000;
const SLOTS = 64;

interface Target {
  /** As the caller wrote it, for messages. */
  readonly path: string;
  /** The directory, in a spelling that stays the same directory whatever is renamed meanwhile. */
  readonly directory: string;
  readonly name: string;
}

/**
 * Replaces a file atomically: a temporary file beside it takes its place when everything is written. With `append` it
 * adds to the end of the file that is there.
 */
export async function writeFile(path: string, data: Data, options: WriteFileOptions = {}): Promise<FileStat> {
  checkPath(path);
  checkAborted(options.signal, path);
  const parent = dirname(path);
  try {
    if (options.parents) await makeParents(parent, options.realPath);
    const handle = await openDirectory(parent);
    try {
      if (options.realPath !== undefined) {
        await checkLeadsTo(handle, { path: parent, realPath: dirname(options.realPath) });
      }
      // The descriptor names the directory that was checked, even after a link on the way has been swapped.
      const directory = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : parent;
      const target = { path, directory, name: lastName(path) };
      return await (options.append ? append(target, data, options) : replace(target, data, options));
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw systemError(error, path);
  }
}

/** Makes missing parents, unless they would be made elsewhere than was judged. */
async function makeParents(parent: string, judged: string | undefined): Promise<void> {
  if (judged !== undefined) checkResolves(parent, dirname(judged));
  await makeDirectory(parent);
}

function lastName(path: string): string {
  const name = basename(path);
  if (name === "" || name === "." || name === ".." || path.endsWith("/")) {
    throw new ToolgateError("not_a_file", `Names a directory: ${path}`);
  }
  return name;
}

async function openDirectory(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") {
      throw new ToolgateError("not_a_directory", `Not a directory: ${path}`, { cause: error });
    }
    throw systemError(error, path);
  }
}

async function append(target: Target, data: Data, options: WriteFileOptions): Promise<FileStat> {
  current(target, options.ifVersion);
  return appendTo(join(target.directory, target.name), data, options);
}

async function replace(target: Target, data: Data, options: WriteFileOptions): Promise<FileStat> {
  const before = current(target, options.ifVersion);
  // Taking a file's place needs no right to write to it; whoever took that right away meant it.
  if (before !== undefined) accessSync(join(target.directory, target.name), constants.W_OK);
  const open = before === undefined && options.mode === undefined;
  const temporary = await openTemporary(target, open ? 0o666 : 0o600);
  let placed = false;
  try {
    await fill(temporary.handle, data, options.signal);
    await takeOver(temporary.handle, before, options.mode, target.path);
    place(temporary.path, target, options.ifVersion);
    placed = true;
    return describeStat(await temporary.handle.stat({ bigint: true }));
  } finally {
    await temporary.handle.close();
    if (!placed) await unlink(temporary.path).catch(() => undefined);
  }
}

interface Existing {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** What is at the target now; refuses what must not be replaced. */
function current(target: Target, ifVersion: string | undefined): Existing | undefined {
  const stat = lstatSync(join(target.directory, target.name), { bigint: true, throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) {
    throw new ToolgateError("unsupported", `Is a symbolic link: ${target.path}`, {
      hint: "Write to the file it points to, by that file's own path.",
    });
  }
  if (stat !== undefined && !stat.isFile()) {
    const what = stat.isDirectory() ? "Is a directory" : "Not a regular file";
    throw new ToolgateError("not_a_file", `${what}: ${target.path}`);
  }
  const version = stat === undefined ? "absent" : describeStat(stat).version;
  if (ifVersion !== undefined && ifVersion !== version) throw stale(target.path, ifVersion);
  if (stat === undefined) return undefined;
  return { mode: Number(stat.mode & 0o7777n), uid: Number(stat.uid), gid: Number(stat.gid) };
}

function stale(path: string, ifVersion: string): ToolgateError {
  const what = ifVersion === "absent" ? "already exists" : "has changed";
  return new ToolgateError("stale", `${path} ${what} since it was looked at.`, {
    hint: "Read it again before writing.",
  });
}

async function openTemporary(target: Target, mode: number): Promise<{ handle: FileHandle; path: string }> {
  // A hash, since the target's own name may already be as long as names can be.
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(target.name));
  const key = Buffer.from(digest).toString("hex").slice(0, 16);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  for (let slot = 0; slot < SLOTS; ) {
    const path = join(target.directory, `.toolgate-${key}-${slot}.tmp`);
    try {
      return { handle: await open(path, flags, mode), path };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      if (!(await removeAbandoned(path))) slot += 1;
    }
  }
  throw new ToolgateError("backend_unavailable", `Too many writers at once: ${target.path}`);
}

/** Removes what a crashed writer left. False when it is still being written to. */
async function removeAbandoned(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await lstat(path);
    if (Date.now() - mtimeMs < ABANDONED_MS) return false;
    await unlink(path);
    return true;
  } catch (error) {
    // Its writer has just finished: the name is free again.
    if (errorCode(error) === "ENOENT") return true;
    throw error;
  }
}

/** Gives the new file the old one's owner and bits. The owner first: changing it clears set-id bits. */
async function takeOver(
  handle: FileHandle,
  before: Existing | undefined,
  mode: number | undefined,
  path: string,
): Promise<void> {
  if (before === undefined) {
    if (mode !== undefined) await handle.chmod(mode & 0o7777);
    return;
  }
  const own = await handle.stat();
  if (own.uid !== before.uid || own.gid !== before.gid) {
    await handle.chown(before.uid, before.gid).catch((error: unknown) => {
      throw new ToolgateError("permission_denied", `Can't keep the owner of ${path}.`, {
        hint: "Only its owner or an administrator can replace it and keep whose it is.",
        cause: error,
      });
    });
  }
  await handle.chmod(before.mode);
}

/**
 * Puts the temporary file in the target's place, if the target is still what it was. Synchronous, so that no other writer of
 * this process comes between the look and the act.
 */
function place(temporary: string, target: Target, ifVersion: string | undefined): void {
  const final = join(target.directory, target.name);
  current(target, ifVersion);
  if (ifVersion === "absent" && linked(temporary, final, target.path)) unlinkSync(temporary);
  else renameSync(temporary, final);
}

/** Unlike a rename, a link never replaces what another process has just put there. False where there are no hard links. */
function linked(temporary: string, final: string, path: string): boolean {
  try {
    linkSync(temporary, final);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") throw stale(path, "absent");
    if (code === "EPERM" || code === "ENOTSUP" || code === "ENOSYS") return false;
    throw error;
  }
}
