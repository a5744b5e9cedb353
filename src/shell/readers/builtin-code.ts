import { type Arg, literal } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { blur, type State, UNKNOWN_VALUE, withVar } from "../state.ts";

/** `eval`: its words are one script, judged when they are all known. */
export function evaluate(run: Run, args: readonly Arg[]): boolean {
  const words = args[0]?.value === "--" ? args.slice(1) : args;
  if (words.every((arg) => arg.value !== null && !arg.pattern)) {
    const span = {
      start: words[0]?.span.start ?? run.span.start,
      end: words.at(-1)?.span.end ?? run.span.end,
    };
    if (run.script(literal(words.map((arg) => arg.value).join(" "), span), "here")) return false;
  }
  for (const arg of words.filter((each) => each.substituted))
    unknown(run, arg, "eval runs code that isn't known");
  unknown(run, words[0] ?? null, "eval runs code that isn't known");
  forgetAll(run);
  return true;
}

/** `source`: runs a file in this shell. */
export function source(run: Run, args: readonly Arg[]): boolean {
  const [file] = args;
  if (file !== undefined) {
    emitPath(run, "read", file);
    if (file.substituted) unknown(run, file, "runs code that isn't known");
  }
  forgetAll(run);
  return true;
}

function forgetAll(run: Run): void {
  const state = blur(run.shell.state);
  run.outcome = { ok: state, fail: state };
}

/** `trap`: its code runs at any later time, so nothing is known of the shell then. */
export function trap(run: Run, args: readonly Arg[]): boolean {
  const words = args[0]?.value === "--" ? args.slice(1) : args;
  const [action, signal, another] = words;
  if (action === undefined || signal === undefined || /^(?:-[lp]|-|)$/.test(action.value ?? "code"))
    return false;
  const before = run.shell.state;
  const marked = withVar(blur(before), MARK, UNKNOWN_VALUE);
  run.shell.state = marked;
  const known = run.script(action, "here");
  // At the end it changes nothing that matters any more; `DEBUG` comes before every command.
  const late = another === undefined && /^(?:EXIT|0)$/.test(signal.value ?? "");
  const moves = /\b(?:cd|pushd|popd)\b/.test(action.value ?? "");
  if (known && !late && (moves || changes(marked, run.outcome?.ok ?? null)))
    unknown(run, action, "a trap changes the shell between other commands");
  run.shell.state = before;
  run.outcome = undefined;
  if (!known) unknown(run, action, "a trap runs code that isn't known");
  return !known;
}

/** A variable that is gone when anything may have been set. */
const MARK = " trap";

function changes(before: State, after: State | null): boolean {
  if (after === null) return false;
  return after.vars.size !== 1 || !after.vars.has(MARK) || after.taint !== before.taint;
}

/** `exec`: without a command its redirections stay; with one the shell ends there. */
export function execute(run: Run, args: readonly Arg[]): boolean {
  let at = 0;
  for (; args[at]?.value?.startsWith("-"); at += 1) {
    const value = args[at]?.value ?? "";
    if (value === "-a") at += 1;
    else if (!/^-(?:l+|-)$/.test(value)) unknown(run, args[at] ?? null, `exec: option ${value} isn't known`);
  }
  const argv = args.slice(at);
  if (argv.length === 0) return false;
  run.start(argv, { wrapper: "exec" });
  run.outcome = { ok: null, fail: run.shell.state };
  return false;
}

/** `command` and `builtin`: the same command without functions; `command -v` only looks it up. */
export function wrap(run: Run, args: readonly Arg[]): boolean {
  const plain = run.program === "command";
  let at = 0;
  for (; args[at]?.value?.startsWith("-"); at += 1) {
    const value = args[at]?.value ?? "";
    if (plain && /^-p?[vV]+$/.test(value)) return false;
    if (value !== "--" && !(plain && value === "-p")) {
      unknown(run, args[at] ?? null, `${run.program}: option ${value} isn't known`);
    }
  }
  const argv = args.slice(at);
  if (argv.length > 0) run.start(argv, { wrapper: run.program, inShell: true });
  return false;
}
