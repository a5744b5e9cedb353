import { type Arg, literal } from "../arg.ts";
import { emitPath } from "../emit.ts";
import type { Run } from "../run.ts";

const FILE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/;

/** The patch format that coding agents write: the files it adds, changes, moves and removes are named in it. */
export function readApplyPatch(run: Run, args: readonly Arg[]): boolean {
  const only = args.length === 1 ? args[0]?.value : undefined;
  const patch = args.length === 0 ? run.stdin : only;
  if (typeof patch !== "string" || !/^\s*\*\*\* Begin Patch$/m.test(patch)) return true;
  for (const line of patch.split(/\r?\n/)) {
    const [, what, path] = FILE.exec(line) ?? [];
    if (path === undefined) continue;
    const file = literal(path.trim(), run.span);
    emitPath(run, what === "Delete File" ? "delete" : "write", file);
  }
  return false;
}
