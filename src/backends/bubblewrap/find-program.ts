import { accessSync, constants, lstatSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { systemError } from "../system-error.ts";
import type { View } from "./view.ts";

/**
 * Checks that a sandbox can start a program in a directory, before one is made for it: bubblewrap would say neither which
 * of the two is missing, nor that it wasn't the program that failed.
 * @throws ToolgateError `not_found`, `not_a_directory`, `permission_denied`
 */
export function findInView(
  view: View,
  name: string,
  where: { readonly cwd: string; readonly path: string | undefined },
): void {
  const { cwd, path = "" } = where;
  if (!statIn(view, cwd).isDirectory()) throw new ToolgateError("not_a_directory", `Not a directory: ${cwd}`);
  if (name.includes("/")) {
    const program = isAbsolute(name) ? name : join(cwd, name);
    const stat = look(view, program);
    if (stat === undefined) throw new ToolgateError("not_found", `Program not found: ${name}`);
    if (!isProgram(view, program)) throw new ToolgateError("permission_denied", `Not a program: ${name}`);
    return;
  }
  const found = path
    .split(":")
    .map((folder) => join(isAbsolute(folder) ? folder : join(cwd, folder), name))
    .some((program) => isNamed(view, program) && isProgram(view, program));
  if (!found) throw new ToolgateError("not_found", `Program not found: ${name}`);
}

/** Cheap: most directories of a PATH hold no such name, and each of them is asked for every command. */
function isNamed(view: View, path: string): boolean {
  try {
    return lstatSync(view.named(path).machine, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A directory that can't be looked into.
    return false;
  }
}

function isProgram(view: View, path: string): boolean {
  if (!look(view, path)?.isFile()) return false;
  try {
    accessSync(view.follow(path).machine, constants.X_OK);
    return true;
  } catch {
    // Not to be run, by us at least.
    return false;
  }
}

function look(view: View, path: string): Stats | undefined {
  try {
    return statIn(view, path);
  } catch {
    // Not there, or not to be looked at: either way nothing to start.
    return undefined;
  }
}

function statIn(view: View, path: string): Stats {
  try {
    return statSync(view.follow(path).machine);
  } catch (error) {
    throw systemError(error, path);
  }
}
