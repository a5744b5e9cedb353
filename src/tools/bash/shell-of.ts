import type { Backend } from "../../backend.ts";
import { isToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";

/** What runs command lines in a place: bash or, where there is none, as in most small images, its `sh`. */
export type CommandShell = "bash" | "sh";

const PLACES = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
const known = new WeakMap<Backend, CommandShell>();

/**
 * The shell of a place, looked for once. It decides by whose rules a command line is judged, so that one that is judged and run is
 * the same.
 */
export function shellOf(backend: Backend): MaybePromise<CommandShell> {
  const before = known.get(backend);
  if (before !== undefined) return before;
  return look(backend).then((found) => {
    known.set(backend, found);
    return found;
  });
}

/** To be looked for again: it wasn't there any more. */
export function forgetShell(backend: Backend): void {
  known.delete(backend);
}

async function look(backend: Backend): Promise<CommandShell> {
  if (backend.flavour !== "posix") return "bash";
  for (const path of PLACES) if (await isThere(backend, path)) return "bash";
  if (!(await isThere(backend, "/bin/sh"))) return "bash";
  try {
    const argv = ["sh", "-c", "command -v bash >/dev/null 2>&1"];
    const { exitCode } = await backend.exec(argv, { cwd: "/" });
    return exitCode === 0 ? "bash" : "sh";
  } catch (error) {
    // A place that runs nothing says so when the command is run.
    if (isToolgateError(error, "not_found") || isToolgateError(error, "unsupported")) return "bash";
    throw error;
  }
}

async function isThere(backend: Backend, path: string): Promise<boolean> {
  try {
    return (await backend.stat(path)).kind === "file";
  } catch (error) {
    if (isToolgateError(error, "backend_unavailable")) throw error;
    return false;
  }
}
