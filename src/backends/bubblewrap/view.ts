import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { checkPath, errorCode, systemError } from "../system-error.ts";
import { type Mount, mountOf, onMachine } from "./mounts.ts";

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/** A path, as the sandbox and as this machine spell it. Free of links, but for its last name where that was asked for. */
export interface Place {
  readonly path: string;
  readonly machine: string;
  readonly mount: Mount;
}

/** How the sandbox sees paths. */
export interface View {
  /** The path with every link resolved, those of the machine outside being nowhere. */
  realpath(path: string): string;
  /** What a path leads to. */
  follow(path: string): Place;
  /** What a path itself names: its last name is not followed. */
  named(path: string): Place;
  /** What is mounted at a path itself. */
  mountedAt(path: string): Mount | undefined;
}

/** Resolves paths as the sandbox's own kernel would, from its mounts. */
export function viewOf(mounts: readonly Mount[]): View {
  const place = (path: string): Place => {
    const mount = mountOf(mounts, path);
    return { path, mount, machine: onMachine(mount, path) };
  };
  const realpath = (path: string): string => {
    checkPath(path);
    return quick(place, path) ?? walk(place, path);
  };
  return {
    realpath,
    follow: (path) => place(realpath(path)),
    named(path) {
      checkPath(path);
      const bare = path.replace(/\/+$/, "");
      const name = basename(bare);
      if (name === "" || name === "." || name === "..") return place(realpath(path));
      return place(join(realpath(dirname(bare)), name));
    },
    mountedAt: (path) => mounts.find((mount) => mount.at === path),
  };
}

/** Most paths have no link on the way, and this machine's own call says so. */
function quick(place: (path: string) => Place, path: string): string | undefined {
  if (path.split("/").includes("..")) return undefined;
  const plain = normalize(path).replace(/(.)\/$/, "$1");
  const { machine } = place(plain);
  try {
    return realpathSync.native(machine) === machine ? plain : undefined;
  } catch {
    // Missing, or not to be entered: the walk finds out which.
    return undefined;
  }
}

function walk(place: (path: string) => Place, path: string): string {
  let real = "/";
  let rest = path.split("/");
  let links = 0;
  while (rest.length > 0) {
    const [name = "", ...after] = rest;
    rest = after;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      real = dirname(real);
      continue;
    }
    // A missing name is kept like any other: the names after it may lead back up and through a link.
    const next = join(real, name);
    const target = linkTarget(place(next).machine, path);
    if (target === undefined) {
      real = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) {
      throw new ToolgateError("invalid_input", `Too many levels of symbolic links: ${path}`);
    }
    if (target.startsWith("/")) real = "/";
    rest = [...target.split("/"), ...rest];
  }
  return real;
}

/** Where a link points; `undefined` when it isn't one or there is nothing. */
function linkTarget(machine: string, asked: string): string | undefined {
  try {
    return lstatSync(machine).isSymbolicLink() ? readlinkSync(machine) : undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw systemError(error, asked);
  }
}
