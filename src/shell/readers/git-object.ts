import { type Arg, tail } from "../arg.ts";
import { emitPath, type PathTraits, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/**
 * An operand that is a revision, a path, or a path in a revision (`HEAD:src/a.ts`). Whatever may be a path is read,
 * so that rules about files hold for their contents in history too.
 */
export function readGitObject(run: Run, arg: Arg): void {
  const text = arg.value ?? arg.prefix;
  const colon = text.indexOf(":");
  if (text.startsWith(":/") || text.startsWith(":(")) return;
  if (colon >= 0) {
    const from = colon + 1 + (/^[0-3]:/.exec(text.slice(colon + 1))?.[0].length ?? 0);
    if (arg.value === null || text.length > from) readKept(run, tail(arg, from));
  } else if (arg.value !== null && mayBePath(arg.value)) {
    emitPath(run, "read", arg, leadsAway(arg.value) ? { recursive: true } : {});
  }
}

/** One side of a comparison: a plain word may be a folder too, which is compared where it is no revision. */
export function readGitSide(run: Run, arg: Arg): void {
  readGitObject(run, arg);
  if (arg.value !== null && /^(?!(?:[A-Z_]+|main|master|develop|trunk)$)[\w-]+$/.test(arg.value))
    readKept(run, arg, { recursive: true });
}

/** A path in a revision counts from the top of the repository. */
function readKept(run: Run, arg: Arg, traits: PathTraits = {}): void {
  if (run.bases === null) emitPath(run, "read", arg, traits);
  for (const base of run.bases ?? [])
    emitPath({ ...run, bases: [base] }, "read", arg, { ...traits, repository: base });
}

/** Another repository than the one around: what is in it may be shown, and its settings may start programs. */
export function readRepository(run: Run, arg: Arg): void {
  emitPath(run, "list", arg);
  emitPath(run, "read", { ...arg, value: null, prefix: `${arg.prefix}/` });
  unknown(run, arg, "git works on a repository that is named");
}

/** Where a repository is fetched from: an address, or one on this machine, which is read as a whole. */
export function readGitSource(run: Run, arg: Arg): void {
  const from = arg.prefix.startsWith("file://") ? "file://".length : 0;
  if (from > 0 || /^(?:\.{0,2}\/|\.{1,2}$)/.test(arg.prefix))
    emitPath(run, "read", tail(arg, from), { recursive: true });
}

/** `git diff a ~` compares whole folders when one isn't the repository's. */
function leadsAway(text: string): boolean {
  return /^(?:\/|\.\.(?:\/|$)|\.[^./])/.test(text);
}

function mayBePath(text: string): boolean {
  if (/^(?:\/|\.\.?\/|~)/.test(text)) return true;
  if (/\.\.|[\^~]|@\{/.test(text) || /^v?\d[\w.-]*$/.test(text)) return false;
  if (/^(?:origin|upstream|refs|heads|tags|remotes)\//.test(text)) return false;
  return /[./*]/.test(text);
}
