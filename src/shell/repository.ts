import { type Arg, literal } from "./arg.ts";
import { type Compiled, isGiven } from "./compile.ts";
import { emit, emitPath, spanOf } from "./emit.ts";
import type { Parsed } from "./options.ts";
import type { Does } from "./program.ts";
import type { Run } from "./run.ts";

type Shows = NonNullable<Does["repository"]>;

/**
 * Adds what a command shows of the git repository that it works in, and gives the operands that are left: those behind `--` are paths of
 * the work tree, and when they are known nothing else is shown.
 */
export function showRepository(
  run: Run,
  usual: Shows,
  compiled: Compiled,
  { operands, before, seen }: Parsed,
): readonly Arg[] {
  const shows = shownBy(usual, compiled, seen);
  const paths = before === undefined ? [] : operands.slice(before).filter((arg) => !isMagic(arg));
  const chosen = paths.length > 0 && paths.every(isPath);
  showAll(run, chosen ? "names" : shows);
  // Beside what git keeps, whatever else lies there.
  if (shows === "search" && seen.has("--untracked"))
    emitPath(run, "read", literal(".", run.span), { recursive: true });
  for (const arg of paths) showPath(run, shows, arg);
  return before === undefined ? operands : operands.slice(0, before);
}

function shownBy(usual: Shows, compiled: Compiled, seen: ReadonlySet<string>): Shows {
  if (isGiven(compiled.contentsBy, seen)) return usual === "names" ? "contents" : usual;
  return isGiven(compiled.namesBy, seen) ? "names" : usual;
}

function showAll(run: Run, shows: Shows): void {
  const common = { part: run.part, span: spanOf(run, null) } as const;
  const kind = shows === "names" ? "list" : "read";
  if (run.bases === null) emit(run, { kind, ...common, path: "/", dynamic: true });
  for (const path of run.bases ?? []) {
    // Names of where the command starts are no news.
    if (kind === "list" && path === run.shell.context.cwd) continue;
    if (kind === "list") emit(run, { kind, ...common, path });
    else if (shows === "search") emit(run, { kind, ...common, path, recursive: true, repository: path });
    else emit(run, { kind, ...common, path, dynamic: true, repository: path });
  }
}

function showPath(run: Run, shows: Shows, arg: Arg): void {
  if (shows === "names") {
    emitPath(run, "list", arg);
    return;
  }
  for (const base of run.bases ?? [null]) {
    const here = base === null ? run : { ...run, bases: [base] };
    const traits = base === null ? {} : { repository: base };
    emitPath(here, "read", arg, shows === "search" ? { ...traits, recursive: true } : traits);
    if (shows === "contents" && isPath(arg)) emitPath(here, "read", below(arg), traits);
  }
}

/** Something below a path, of which it isn't known what. */
function below(arg: Arg): Arg {
  return { ...arg, value: null, prefix: `${arg.value ?? ""}/` };
}

/** A path and nothing more: git has patterns of its own. */
function isPath({ value, pattern }: Arg): boolean {
  return value !== null && !pattern && !/[*?[]/.test(value);
}

/** `:!x`, `:(exclude)x`: says what of the others is left out. */
function isMagic({ prefix }: Arg): boolean {
  return prefix.startsWith(":");
}
