import { type Arg, literal } from "../arg.ts";
import { emitPath } from "../emit.ts";
import type { Run } from "../run.ts";

// Agents differ on blanks around a marker and on its case: each line that one of them may take for a marker is one.
const MARKER = /^\s*\*\*\*/;
const FILE = /^\s*\*\*\*\s*(Add File|Update File|Delete File|Move to):\s*(.*\S)\s*$/i;
const OTHER = /^\s*\*\*\*\s*(?:Begin Patch|End Patch|End of File)\s*$/i;
const BODY = /^(?:[-+ ]|@@|$)/;

/** The patch format that coding agents write: the files it adds, changes, moves and removes are named in it. */
export function readApplyPatch(run: Run, args: readonly Arg[]): boolean {
  const patch = patchOf(run, args);
  if (patch === null) return true;
  let known = false;
  for (const line of patch.split(/\r?\n/)) {
    const [, what = "", path] = FILE.exec(line) ?? [];
    if (path !== undefined) {
      known = true;
      emitPath(run, /^delete/i.test(what) ? "delete" : "write", literal(path, run.span));
    } else if (!(MARKER.test(line) ? OTHER : BODY).test(line)) return true;
  }
  return !known;
}

function patchOf(run: Run, args: readonly Arg[]): string | null {
  const only = args.length === 1 ? args[0]?.value : undefined;
  const patch = args.length === 0 ? run.stdin : only;
  return typeof patch === "string" && /^\s*\*\*\* Begin Patch\s*$/m.test(patch) ? patch : null;
}
