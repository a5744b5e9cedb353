import { type Arg, literal } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { blur } from "../state.ts";

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
  const [action, signal] = words;
  if (action === undefined || signal === undefined || /^(?:-[lp]|-|)$/.test(action.value ?? "code"))
    return false;
  const before = run.shell.state;
  run.shell.state = blur(before);
  const known = run.script(action, "here");
  run.shell.state = before;
  run.outcome = undefined;
  if (!known) unknown(run, action, "a trap runs code that isn't known");
  return !known;
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
