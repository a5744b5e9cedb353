import type { Span } from "../effect.ts";
import type { Arg } from "./arg.ts";
import { findProgram } from "./commands/index.ts";
import { dialectOf, readsOtherwise } from "./dialect.ts";
import { emit, unknown } from "./emit.ts";
import { interpret } from "./interpret.ts";
import { parser } from "./parser.ts";
import type { Program } from "./program.ts";
import { READERS } from "./readers/index.ts";
import { readWords, refuseSubstitutions } from "./refuse.ts";
import { type Run, type ScriptKind, type Shell, type Start, spend, TooMuch } from "./run.ts";
import { isTooMuch } from "./size.ts";
import { blur, freshState, type Outcome, type Taint } from "./state.ts";

/** One command to start: words, and what surrounds them. */
export interface Launch {
  readonly shell: Shell;
  readonly part: number;
  readonly span: Span;
  readonly argv: readonly Arg[];
  readonly wrappers: readonly string[];
  readonly inShell: boolean;
  readonly bases: readonly string[] | null;
  readonly taint: Taint;
  readonly stdin: string | null | undefined;
}

const MAX_WRAPPERS = 16;

/** Judges one command: adds an `execute` effect and what else it does. Gives where it leaves the shell. */
export function launch(it: Launch): Outcome | undefined {
  spend(it.shell.context, 1);
  const [name, ...args] = it.argv;
  if (name === undefined) return undefined;
  if (name.value === null || name.pattern || it.wrappers.length > MAX_WRAPPERS) {
    execute(it, "", true);
    unknown(it, name, "which program runs can't be known before it runs");
    refuseSubstitutions(runOf(it, ""), args);
    return undefined;
  }
  // `command f` is the program, never the function.
  const direct = it.inShell && it.wrappers.length === 0;
  if (direct && it.shell.context.functions.has(name.value)) return callFunction(it, name.value, args);
  return launchProgram(it, name.value, args);
}

function launchProgram(it: Launch, name: string, args: readonly Arg[]): Outcome | undefined {
  const row = rowOf(name);
  if (row !== undefined) return judge(it, name, row);
  execute(it, name, true, true);
  refuseTaint(it, true);
  refuseSubstitutions(runOf(it, name), args);
  return undefined;
}

/** A rule about a program says nothing of what a variable makes of it. */
function refuseTaint(it: Launch, opaque: boolean): void {
  if (isOwn(it)) return;
  if (it.taint !== "loader" && (it.taint !== "hook" || opaque)) return;
  const why = "a variable set before it can make it load or start something else";
  unknown(it, null, why, why);
}

const OWN =
  /^(?::|\.|\[|alias|break|builtin|cd|command|continue|declare|dirs|echo|eval|exec|exit|export|false|getopts|hash|jobs|kill|let|local|mapfile|popd|printf|pushd|pwd|read|readarray|readonly|return|set|shift|shopt|source|test|times|trap|true|type|typeset|ulimit|umask|unset|wait)$/;

/** True for what the shell does itself: the environment has no say in it. */
function isOwn(it: Launch): boolean {
  return it.inShell && OWN.test(it.argv[0]?.value ?? "");
}

function judge(it: Launch, name: string, row: Program): Outcome | undefined {
  const { effects } = it.shell.context;
  const at = effects.length;
  execute(it, name, false);
  const run = runOf(it, name);
  const opaque = interpret(run, row, it.argv.slice(1), READERS);
  if (run.unwrapped) {
    effects.splice(at, 1);
    return run.outcome;
  }
  refuseTaint(it, opaque);
  const effect = effects[at];
  if ((opaque || (it.taint !== "none" && !isOwn(it))) && effect?.kind === "execute")
    effects[at] = { ...effect, opaque: true };
  return run.outcome;
}

function callFunction(it: Launch, name: string, args: readonly Arg[]): Outcome {
  const { shell } = it;
  if (shell.state.defined.has(name)) execute(it, name, false);
  else {
    // Both: a definition that comes later, or never, must not hide what the program would do now.
    unknown(it, null, `${name} may be a function of this command or a program`);
    launchProgram(it, name, args);
  }
  // Its body was judged where it is defined; it may have set anything.
  const after = blur(shell.state);
  readWords(runOf(it, name), args);
  return { ok: after, fail: after };
}

function rowOf(name: string): Program | undefined {
  const cut = name.lastIndexOf("/");
  if (cut < 0) return findProgram(name);
  if (!/^\/(?:usr\/(?:local\/)?)?s?bin$|^\/opt\/homebrew\/bin$/.test(name.slice(0, cut))) return undefined;
  return findProgram(name.slice(cut + 1));
}

function execute(it: Launch, program: string, opaque: boolean, unlisted = false): void {
  const { shell, part, span, argv, wrappers } = it;
  emit(it, {
    kind: "execute",
    program,
    argv: argv.map((arg) => arg.value),
    opaque,
    part,
    span: shell.within ?? span,
    ...(wrappers.length > 0 ? { wrappers } : undefined),
    ...(unlisted ? { unlisted: true } : undefined),
  });
}

interface LaunchedRun extends Run {
  /** Another command took its place in the same part. */
  unwrapped: boolean;
}

function runOf(it: Launch, program: string): LaunchedRun {
  const run: LaunchedRun = {
    shell: it.shell,
    part: it.part,
    span: it.span,
    // A path to a system folder is the program itself.
    program: program.slice(program.lastIndexOf("/") + 1),
    wrappers: it.wrappers,
    inShell: it.inShell,
    stdin: it.stdin,
    bases: it.bases,
    outcome: undefined,
    unwrapped: false,
    start: (argv, how) => {
      run.outcome = startFrom(it, run, argv, how) ?? run.outcome;
    },
    script: (code, kind) => runScript(it, run, code, kind),
  };
  return run;
}

function startFrom(it: Launch, run: LaunchedRun, argv: readonly Arg[], how: Start): Outcome | undefined {
  const [first] = argv;
  if (first === undefined) return undefined;
  const bases = how.bases === undefined ? run.bases : how.bases;
  const { context } = it.shell;
  if (how.ownPart) {
    const part = context.nextPart;
    context.nextPart += 1;
    const span = { start: first.span.start, end: argv.at(-1)?.span.end ?? first.span.end };
    launch({ ...it, part, span, argv, wrappers: [...it.wrappers], inShell: false, bases });
    return undefined;
  }
  run.unwrapped = true;
  const inShell = it.inShell && how.inShell === true;
  const wrappers = [...it.wrappers, how.wrapper];
  return launch({ ...it, argv, wrappers, inShell, bases, taint: how.taint ?? it.taint });
}

function runScript(it: Launch, run: LaunchedRun, code: Arg, kind: ScriptKind = "child"): boolean {
  const parse = parser()?.parse;
  if (code.value === null || code.pattern || code.many || parse === undefined) return false;
  const { shell } = it;
  const { context } = shell;
  // Code in code is parsed again at each level.
  spend(context, Math.ceil(code.value.length / 25));
  if (isTooMuch(code.value)) throw new TooMuch("too much to be judged");
  const here = kind === "here" && it.inShell;
  const state = here ? shell.state : freshState(run.bases, it.taint);
  const dialect = kind === "here" ? shell.dialect : dialectOf(run.program);
  if (readsOtherwise(code.value, dialect))
    unknown(run, code, `${run.program} may read this otherwise than bash`);
  const inner: Shell = {
    context,
    state,
    within: shell.within ?? code.span,
    depth: shell.depth + 1,
    dialect,
  };
  context.walk(inner, parse(code.value));
  if (here) run.outcome = { ok: inner.state, fail: inner.state };
  return true;
}
