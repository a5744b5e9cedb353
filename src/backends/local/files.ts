import { lstat, mkdir, readdir, rename, rm, rmdir, stat, unlink } from "node:fs/promises";
import type { DirectoryEntry, FileStat } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { checkPath, errorCode, systemError } from "../system-error.ts";
import { describeStat, kindOf } from "./stat.ts";

/** What the path leads to. */
export async function statPath(path: string): Promise<FileStat> {
  checkPath(path);
  try {
    return describeStat(await stat(path, { bigint: true }));
  } catch (error) {
    throw systemError(error, path);
  }
}

/** What the path itself names. */
export async function lstatPath(path: string): Promise<FileStat> {
  checkPath(path);
  try {
    return describeStat(await lstat(path, { bigint: true }));
  } catch (error) {
    throw systemError(error, path);
  }
}

/** The entries of a directory, in no particular order. */
export async function listDirectory(path: string): Promise<readonly DirectoryEntry[]> {
  checkPath(path);
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  } catch (error) {
    // A path below a file is missing; the file itself is the wrong kind.
    if (errorCode(error) === "ENOTDIR" && (await exists(path))) {
      throw new ToolgateError("not_a_directory", `Not a directory: ${path}`, { cause: error });
    }
    throw systemError(error, path);
  }
}

/** Makes a directory and its parents. */
export async function makeDirectory(path: string): Promise<void> {
  checkPath(path);
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
  checkPath(from);
  checkPath(to);
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) === "ENOTDIR" && (await exists(from)) && (await exists(to))) {
      throw new ToolgateError("not_a_directory", `Not a directory: ${to}`, { cause: error });
    }
    throw systemError(error, errorCode(error) === "ENOENT" && !(await exists(from)) ? from : to);
  }
}

/** Removes what the path itself names. */
export async function removePath(path: string, recursive: boolean): Promise<void> {
  checkPath(path);
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

/** Whether the path itself names anything. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
