import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, parse, sep } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { checkPath, errorCode, systemError } from "../system-error.ts";

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/**
 * The path with every symlink resolved, a dangling one included: what a write through it would make is what has
 * to be judged. Missing trailing components are kept.
 * @throws ToolgateError `invalid_input` for a relative path and for a loop
 */
export function realPath(path: string): string {
  checkPath(path);
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw systemError(error, path);
  }
  return walk(path);
}

/** Resolves component by component, which the system's own call doesn't do when something is missing. */
function walk(path: string): string {
  let real = parse(path).root;
  let rest = path.slice(real.length).split(sep);
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
    const target = linkTarget(next, path);
    if (target === undefined) {
      real = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) {
      throw new ToolgateError("invalid_input", `Too many levels of symbolic links: ${path}`);
    }
    const { root } = parse(target);
    if (root !== "") real = root;
    rest = [...target.slice(root.length).split(sep), ...rest];
  }
  return real;
}

/** Where a link points; `undefined` when it isn't one or there is nothing. */
function linkTarget(path: string, asked: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw systemError(error, asked);
  }
}
