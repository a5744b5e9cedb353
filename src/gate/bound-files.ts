import { posix, win32 } from "node:path";
import { ABSENT, type BoundFile } from "../approval.ts";
import type { Backend } from "../backend.ts";
import type { Effect } from "../effect.ts";
import { isToolgateError } from "../errors.ts";
import type { PermissionContext } from "../tool.ts";

/** More than that nobody looks through one by one; a call that names so many is bound by its input alone beyond them. */
const MAX_FILES = 200;

/**
 * What a call will change, and the files that it runs as programs, as they are now. Paths that are only known when the call runs
 * are not among them.
 */
export async function boundFiles(
  { backend, cwd }: Pick<PermissionContext, "backend" | "cwd">,
  effects: readonly Effect[] = [],
): Promise<readonly BoundFile[]> {
  const { resolve } = backend.flavour === "win32" ? win32 : posix;
  const named = effects.flatMap((effect) => boundPath(effect, effects));
  const paths = [...new Set(named.map((path) => resolve(cwd, path)))].slice(0, MAX_FILES);
  return Promise.all(paths.map((path) => bound(backend, path)));
}

/** The path that an effect binds; none for most. */
function boundPath(effect: Effect, all: readonly Effect[]): readonly string[] {
  // A program that is named by its path is a file of the project's like any other.
  if (effect.kind === "execute") return /[\\/]/.test(effect.program) ? [effect.program] : [];
  if (effect.kind !== "write" && effect.kind !== "delete" && effect.kind !== "read") return [];
  if (effect.pattern === true || effect.dynamic === true) return [];
  if (effect.kind !== "read") return [effect.path];
  // A program that may do anything does what the files say that it is given.
  const isRun = all.some(
    ({ kind, part, ...more }) => kind === "execute" && part === effect.part && isOpaque(more),
  );
  return isRun ? [effect.path] : [];
}

function isOpaque(effect: object): boolean {
  return "opaque" in effect && effect.opaque === true;
}

async function bound(backend: Backend, path: string): Promise<BoundFile> {
  const realPath = await backend.realpath(path);
  return { path, realPath, version: await versionOf(backend, realPath) };
}

async function versionOf(backend: Backend, path: string): Promise<string> {
  try {
    return (await backend.stat(path)).version;
  } catch (error) {
    if (isToolgateError(error, "not_found")) return ABSENT;
    // It can't be looked at now; when it can later, that is a change.
    return `unknown: ${isToolgateError(error) ? error.code : "internal"}`;
  }
}
