import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The root of the project that a directory is in: where `.toolgate` is, else where `.git` is, else the directory itself. */
export function projectOf(cwd: string): string {
  return rootWith(".toolgate", cwd) ?? rootWith(".git", cwd) ?? cwd;
}

function rootWith(mark: string, cwd: string): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    // A home directory full of projects is none, whatever settings of the user lie in it.
    if ((at === cwd || at !== homedir()) && existsSync(join(at, mark))) return at;
    if (dirname(at) === at) return undefined;
  }
}
