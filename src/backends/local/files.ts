import { lstat, mkdir, readdir, rename, rm, rmdir, stat, unlink } from "node:fs/promises";
import type { DirectoryEntry, FileStat } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { errorCode, systemError } from "../system-error.ts";
import { describeStat, kindOf } from "./stat.ts";

/** What the path leads to. */
export async function statPath(path: string): Promise<FileStat> {
  try {
    return describeStat(await stat(path, { bigint: true }));
  } catch (error) {
    throw systemError(error, path);
  }
}

/** What the path itself names. */
export async function lstatPath(path: string): Promise<FileStat> {
  try {
    return describeStat(await lstat(path, { bigint: true }));
  } catch (error) {
    throw systemError(error, path);
  }
}

/** The entries of a directory, in no particular order. */
export async function listDirectory(path: string): Promise<readonly DirectoryEntry[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") await refuseWrongKind(path, error);
    throw systemError(error, path);
  }
}

/** Makes a directory and its parents. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOTDIR") {
      throw new ToolgateError("not_a_directory", `Not a directory: ${path}`, { cause: error });
    }
    throw systemError(error, path);
  }
}

/** Gives a file or directory another name on the same file system. */
export async function renamePath(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    throw systemError(error, errorCode(error) === "ENOENT" ? from : to);
  }
}

/** Removes what the path itself names. */
export async function removePath(path: string, recursive: boolean): Promise<void> {
  try {
    const kind = kindOf(await lstat(path));
    if (kind !== "directory") return await unlink(path);
    if (!recursive) {
      throw new ToolgateError("not_a_file", `Is a directory: ${path}`, {
        hint: "Removing a directory with all it holds takes `recursive`.",
      });
    }
    await rm(path, { recursive: true });
  } catch (error) {
    throw systemError(error, path);
  }
}

/** Removes a directory if it is there and empty. */
export async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EEXIST") throw systemError(error, path);
  }
}

/** A path below a file is missing; the file itself is the wrong kind. */
async function refuseWrongKind(path: string, cause: unknown): Promise<void> {
  const there = await stat(path).then(
    () => true,
    () => false,
  );
  if (there) throw new ToolgateError("not_a_directory", `Not a directory: ${path}`, { cause });
}
