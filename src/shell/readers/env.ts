import { type Arg, literal } from "../arg.ts";
import { unknown } from "../emit.ts";
import { exportRisk } from "../names.ts";
import { basesIn } from "../operands.ts";
import { type Run, visit } from "../run.ts";
import { type Taint, worse } from "../state.ts";

interface Progress {
  at: number;
  /** Options are over: after `-`, `--` or the first assignment there are only assignments and the command. */
  plain: boolean;
  /** Variables are taken away. */
  cleared: boolean;
  taint: Taint;
  bases: readonly string[] | null;
}

/** env: options, assignments, then a command; alone it prints the environment. */
export function env(run: Run, args: readonly Arg[]): boolean {
  const progress: Progress = { at: 0, plain: false, cleared: false, taint: "none", bases: run.bases };
  let words = args;
  let splits = 0;
  for (let arg = words[0]; arg !== undefined; arg = words[progress.at]) {
    const split = progress.plain ? null : splitString(arg, words[progress.at + 1]);
    if (split !== null && splits < 4) {
      splits += 1;
      words = [...words.slice(0, progress.at), ...split.words, ...words.slice(progress.at + split.taken)];
    } else if (!takeWord(run, arg, words[progress.at + 1], progress)) break;
  }
  const rest = words.slice(progress.at);
  if (progress.cleared && rest.some(mayBeGit)) progress.taint = worse(progress.taint, "hook");
  if (rest.length > 0)
    run.start(rest, { wrapper: run.program, bases: progress.bases, taint: progress.taint });
  return false;
}

/** `-S` gives several words in one; only plain ones are read. */
function splitString(arg: Arg, next: Arg | undefined): { words: readonly Arg[]; taken: number } | null {
  const match = /^(?:-S|--split-string(=)?)(.*)$/s.exec(arg.value ?? "");
  if (match === null) return null;
  const [, equals, attached = ""] = match;
  // After `--split-string=` nothing was given, and the next word is the program as it stands.
  const isAttached = attached !== "" || equals !== undefined;
  const text = isAttached ? attached : (next?.value ?? null);
  const taken = isAttached ? 1 : 2;
  if (text === null || !/^[\w \t\n./:=,@%+~-]*$/.test(text)) {
    return { words: [{ ...arg, value: null, prefix: "", many: true, shape: null }], taken };
  }
  const words = text.split(/[ \t\n]+/).filter((word) => word !== "");
  return { words: words.map((word) => literal(word, arg.span)), taken };
}

const FLAGS = /^(?:-i|--ignore-environment|-0|--null|-v|--debug|--unset=.*)$/s;

/** Takes one word that isn't the command yet; `false` at the command. */
function takeWord(run: Run, arg: Arg, next: Arg | undefined, progress: Progress): boolean {
  const { value } = arg;
  if (!progress.plain && value !== null && !arg.pattern && value.startsWith("-")) {
    if (/^(?:-u|--unset|-i|--ignore-env|-$)/.test(value)) progress.cleared = true;
    if (value === "-" || value === "--") progress.plain = true;
    else takeOption(run, arg, next, progress);
  } else {
    progress.plain = true;
    if (!takeAssignment(arg, progress)) return false;
  }
  progress.at += 1;
  return true;
}

/** Variables keep git from starting what a repository's settings name, and from writing where it only looks. */
function mayBeGit(arg: Arg): boolean {
  return arg.value === null || arg.value.includes("git");
}

function takeAssignment(arg: Arg, progress: Progress): boolean {
  const name = /^([^=]*)=/.exec(arg.prefix)?.[1];
  if (name === undefined || arg.many) return false;
  const text = arg.value === null ? null : arg.value.slice(name.length + 1);
  progress.taint = worse(progress.taint, taintOf(name, text));
  return true;
}

function takeOption(run: Run, arg: Arg, next: Arg | undefined, progress: Progress): void {
  const value = arg.value ?? "";
  if (value === "-u" || value === "--unset") {
    progress.at += 1;
  } else if (value === "-C" || value === "--chdir") {
    progress.at += 1;
    progress.bases = visit(run.shell.context, moved(run, progress, next?.value ?? null));
  } else if (value.startsWith("--chdir=")) {
    progress.bases = visit(run.shell.context, moved(run, progress, value.slice(8)));
  } else if (!FLAGS.test(value)) {
    unknown(run, arg, `env: option ${value} isn't known`);
  }
}

function taintOf(name: string, value: string | null): Taint {
  const risk = /^[A-Za-z_]\w*$/.test(name) ? exportRisk(name, value) : "loader";
  return risk === "shell" ? "loader" : risk;
}

function moved(run: Run, { bases }: Progress, to: string | null): readonly string[] | null {
  return to === null || bases === null ? null : basesIn(run, bases, to);
}
