import type { Arg } from "../arg.ts";
import { system, unknown } from "../emit.ts";
import { operandPath, resolvePath } from "../paths.ts";
import type { WordsReader } from "../reader.ts";
import { readWords } from "../refuse.ts";
import { type Run, visit } from "../run.ts";
import { homeOf, type State, withBases } from "../state.ts";
import { evaluate, execute, source, trap, wrap } from "./builtin-code.ts";
import { getopts, letNames, mapNames, printf, readNames, unset } from "./builtin-names.ts";

/** The shell's own commands that change the shell. `true` when they may do more than was said. */
export function builtin(run: Run, args: readonly Arg[]): boolean {
  return BUILTINS.get(run.program)?.(run, args) ?? true;
}

const BUILTINS: ReadonlyMap<string, WordsReader> = new Map<string, WordsReader>([
  ["cd", changeDirectory],
  ["pushd", changeDirectory],
  ["popd", popDirectory],
  ["read", readNames],
  ["mapfile", mapNames],
  ["readarray", mapNames],
  ["getopts", getopts],
  ["printf", printf],
  ["unset", unset],
  ["let", letNames],
  ["eval", evaluate],
  ["source", source],
  [".", source],
  ["trap", trap],
  ["exec", execute],
  ["command", wrap],
  ["builtin", wrap],
  ["set", set],
  ["shopt", (run, args) => only(run, args, SHOPT)],
  ["hash", (run, args) => only(run, args, /^(?:-[rtld]|[\w.+][\w.+-]*)$/)],
  ["history", (run, args) => only(run, args, /^\d+$/)],
  ["exit", leave],
  ["return", leave],
  ["break", leave],
  ["continue", leave],
  ["wait", wait],
  ["ulimit", ulimit],
  ["umask", umask],
]);

function changeDirectory(run: Run, args: readonly Arg[]): boolean {
  const words = args.filter((arg) => !isFlag(arg));
  const [to, extra] = words;
  if (extra !== undefined) return true;
  if (!run.inShell) return false;
  const before = run.shell.state;
  // `-P` goes where links lead, and a later `..` goes up from there.
  const physical = args.some((arg) => isFlag(arg) && /P/.test(arg.value ?? ""));
  const bases = physical ? null : directories(run, before, to);
  if (!isBack(before, to)) visit(run.shell.context, bases);
  run.outcome = { ok: withBases(before, bases), fail: before };
  return false;
}

function isFlag(arg: Arg): boolean {
  return arg.value !== null && /^-(?:[LPe@]+|-)$/.test(arg.value);
}

/** `cd -` leads to where it was before, unless somebody says otherwise. */
function isBack(before: State, to: Arg | undefined): boolean {
  return /^(?:-|[-+]\d+)$/.test(to?.value ?? "") && !before.vars.has("OLDPWD");
}

function directories(run: Run, before: State, to: Arg | undefined): readonly string[] | null {
  // `pushd` alone goes to the directory below on its stack.
  if (to === undefined && run.program === "pushd") return null;
  const target = to === undefined ? homeOf(before, run.shell.context.home) : to.value;
  if (target === null || to?.pattern || /^(?:-|[-+]\d+)$/.test(target)) return null;
  const { cwd } = run.shell.context;
  if (target.startsWith("/")) return [operandPath("/", target, cwd)];
  // Where it is set, names are looked for there first.
  if (before.vars.has("CDPATH")) return null;
  return before.bases?.map((base) => directoryIn(base, target, cwd)) ?? null;
}

/**
 * `..` goes back up the way the shell came. With names behind it, it may be tried as the kernel sees it, where a link on that way leads
 * elsewhere: then it is kept, for whoever can see the file system.
 */
function directoryIn(base: string, target: string, cwd: string): string {
  const up = /^(?:\.{1,2}\/*)+$/.test(target) && !base.includes("/..");
  return up ? resolvePath(base, target) : operandPath(base, target, cwd);
}

function popDirectory(run: Run, args: readonly Arg[]): boolean {
  if (run.inShell) run.outcome = { ok: withBases(run.shell.state, null), fail: run.shell.state };
  return args.length > 0;
}

const SET_LETTERS = /^[-+][euxvfCETh]*o?$/;
const SET_NAMES =
  /^(?:errexit|nounset|pipefail|xtrace|verbose|noglob|noclobber|errtrace|functrace|hashall|braceexpand)$/;

function set(run: Run, args: readonly Arg[]): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    const value = arg?.value ?? null;
    // What follows are the positional parameters, which are never taken as known.
    if (value !== null && (/^--?$/.test(value) || !/^[-+]/.test(value))) {
      readWords(run, args.slice(at));
      return false;
    }
    if (value === null || !SET_LETTERS.test(value)) {
      unknown(run, arg ?? null, "set: an option that isn't known");
      return false;
    }
    if (!value.endsWith("o")) continue;
    at += 1;
    const name = args[at];
    if (name !== undefined) only(run, [name], SET_NAMES);
  }
  return false;
}

const SHOPT =
  /^(?:-[supq]+|nullglob|globstar|failglob|nocaseglob|nocasematch|inherit_errexit|globasciiranges|checkwinsize|histappend)$/;

function only(run: Run, args: readonly Arg[], allowed: RegExp): boolean {
  for (const arg of args) {
    if (arg.value === null || !allowed.test(arg.value)) unknown(run, arg, `${run.program}: not a known use`);
  }
  return false;
}

function leave(run: Run, args: readonly Arg[]): boolean {
  if (run.inShell) run.outcome = { ok: null, fail: null };
  return args.length > 1;
}

function wait(run: Run, args: readonly Arg[]): boolean {
  for (const arg of args) {
    const fine = arg.value === null ? !arg.substituted : /^(?:-[nf]|\d+|%\d+)$/.test(arg.value);
    if (!fine) unknown(run, arg, "wait: not a known use");
  }
  return false;
}

function ulimit(run: Run, args: readonly Arg[]): boolean {
  if (args.some((arg) => !/^-[aSHbcdefiklmnpqrstuvxPRT]+$/.test(arg.value ?? ""))) {
    system(run, null, "limits what later programs may use");
  }
  return false;
}

function umask(run: Run, args: readonly Arg[]): boolean {
  if (args.some((arg) => !/^-[Sp]$/.test(arg.value ?? ""))) {
    system(run, null, "changes the rights of files made later");
  }
  return false;
}
