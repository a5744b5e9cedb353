import type { Backend } from "../../backend.ts";
import { isToolgateError } from "../../errors.ts";
import type { Tree } from "./entry.ts";
import { fileTree, writeFileTree } from "./place-files.ts";
import { tarTree, writeTarTree } from "./place-tar.ts";

/** A directory of a place as a tree: through the place's `tar` where there is one, else file by file. */
export async function* placeTree(backend: Backend, directory: string, signal?: AbortSignal): Tree {
  const isTar = await hasTar(backend, directory);
  yield* isTar ? tarTree(backend, directory, signal) : fileTree(backend, directory);
}

/** Writes a tree that a guard has let through into an empty directory of a place that nobody else writes to. */
export async function writePlaceTree(
  backend: Backend,
  directory: string,
  tree: Tree,
  signal?: AbortSignal,
): Promise<void> {
  const isTar = await hasTar(backend, directory);
  await (isTar ? writeTarTree(backend, directory, tree, signal) : writeFileTree(backend, directory, tree));
}

/** Each place is asked once. */
const TAR = new WeakMap<Backend, Promise<boolean>>();

function hasTar(backend: Backend, cwd: string): Promise<boolean> {
  const known = TAR.get(backend) ?? askForTar(backend, cwd);
  TAR.set(backend, known);
  known.catch(() => TAR.delete(backend));
  return known;
}

async function askForTar(backend: Backend, cwd: string): Promise<boolean> {
  if (backend.flavour === "win32") return false;
  try {
    const { exitCode } = await backend.exec(["sh", "-c", "command -v tar"], { cwd });
    return exitCode === 0;
  } catch (error) {
    // A place without programs, or without a shell.
    if (isToolgateError(error, "unsupported") || isToolgateError(error, "not_found")) return false;
    throw error;
  }
}
