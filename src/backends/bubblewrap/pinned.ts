import { closeSync, constants, lchownSync, mkdirSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { rmdir, unlink } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { errorCode } from "../system-error.ts";
import type { Place } from "./view.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Names a directory without reading it, which needs no right to read; Node has no name for it. */
const O_PATH = 0x200000;

/** Who owns what is made. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Acts on a path by its name in a directory that is held open, and that is the one its path named: a command that runs at
 * the same time can swap a directory for a link, but not under what is held. `use` gets a spelling for the system's calls.
 */
export function inParent<T>(place: Place, use: (path: string) => T): T {
  const fd = openParent(place);
  try {
    return use(`${held(fd)}/${basename(place.machine)}`);
  } finally {
    closeSync(fd);
  }
}

function openParent(place: Place): number {
  const parent = dirname(place.machine);
  const fd = openSync(parent, O_PATH | O_DIRECTORY);
  if (readlinkSync(held(fd)) === parent) return fd;
  closeSync(fd);
  throw moved(place.path);
}

/** Like {@link inParent}, for two paths at a time. */
export function inParents<T>(one: Place, other: Place, use: (one: string, other: string) => T): T {
  return inParent(one, (first) => inParent(other, (second) => use(first, second)));
}

/** Makes a directory and its missing parents, one in the other, each held open; no link is followed. */
export function makeBelow(place: Place, owner: Owner | undefined): void {
  const names = relative(place.mount.source, place.machine)
    .split("/")
    .filter((name) => name !== "");
  let fd = openSync(place.mount.source, O_PATH | O_DIRECTORY);
  try {
    for (const name of names) {
      const next = openOrMake(`${held(fd)}/${name}`, owner, place.path);
      closeSync(fd);
      fd = next;
    }
  } finally {
    closeSync(fd);
  }
}

function openOrMake(path: string, owner: Owner | undefined, asked: string): number {
  const open = (): number => openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    return open();
  } catch (error) {
    if (errorCode(error) === "ENOTDIR" || errorCode(error) === "ELOOP") {
      throw new ToolgateError("not_a_directory", `Not a directory: ${asked}`, { cause: error });
    }
    if (errorCode(error) !== "ENOENT") throw error;
  }
  try {
    mkdirSync(path);
    if (owner !== undefined) lchownSync(path, owner.uid, owner.gid);
  } catch (error) {
    // Somebody else has just made it.
    if (errorCode(error) !== "EEXIST") throw error;
  }
  return open();
}

/** Removes a directory with all it holds, each directory held open while it is emptied; no link is followed. */
export async function removeBelow(place: Place): Promise<void> {
  const fd = openParent(place);
  try {
    await removeTree(`${held(fd)}/${basename(place.machine)}`);
  } finally {
    closeSync(fd);
  }
}

async function removeTree(path: string): Promise<void> {
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const entries = readdirSync(held(fd), { withFileTypes: true });
    for (const entry of entries) {
      const below = `${held(fd)}/${entry.name}`;
      if (entry.isDirectory()) await removeTree(below);
      else await unlink(below);
    }
  } finally {
    closeSync(fd);
  }
  await rmdir(path);
}

/** How a held directory is spelled. */
export function held(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** What is said when a path has come to lead elsewhere between the look and the act. */
export function moved(path: string): ToolgateError {
  return new ToolgateError("stale", `${path} leads elsewhere than a moment ago.`, {
    hint: "A link or directory on the way was changed. Look again before going on.",
  });
}
