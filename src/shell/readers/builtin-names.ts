import { type Arg, literal, mayBeOption } from "../arg.ts";
import { checkArithmeticText } from "../arithmetic.ts";
import { unknown } from "../emit.ts";
import { assignRisk, isPlainName } from "../names.ts";
import type { Run } from "../run.ts";
import { blur, NUMBER_VALUE, type State, UNKNOWN_VALUE, withVar } from "../state.ts";

/** `read`: options, then names that are set to what isn't known. */
export function readNames(run: Run, args: readonly Arg[]): boolean {
  return setNames(run, args, /^-(?:[rse]+|[rse]*[adinNptu].*)$/, /^-[rse]*[dinNptu]$/);
}

/** `mapfile`: as `read`; `-C` would run code. */
export function mapNames(run: Run, args: readonly Arg[]): boolean {
  return setNames(run, args, /^-(?:t|t?[dnOsu].*)$/, /^-t?[dnOsu]$/);
}

function setNames(run: Run, args: readonly Arg[], options: RegExp, takes: RegExp): boolean {
  let { state } = run.shell;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    const value = arg?.value ?? null;
    if (arg === undefined) continue;
    if (value === null || !/^-./.test(value)) state = setName(run, arg, state);
    else if (takes.test(value)) at += 1;
    else if (value !== "--" && !options.test(value)) {
      unknown(run, arg, `${run.program}: option ${value} isn't known`);
    }
  }
  return leave(run, setEach(state, ["REPLY", "MAPFILE"]));
}

/** `getopts`: sets the name that is its second operand. */
export function getopts(run: Run, args: readonly Arg[]): boolean {
  const name = args[1];
  if (name === undefined) return false;
  return leave(run, setEach(setName(run, name, run.shell.state), ["OPTARG", "OPTIND"]));
}

/** `printf`: with `-v` it sets a name, whose subscript would be evaluated. */
export function printf(run: Run, args: readonly Arg[]): boolean {
  const [first, second] = args;
  if (first === undefined) return false;
  if (first.value === null) {
    if (first.many || /^(?:-v?)?$/.test(first.prefix))
      unknown(run, first, "printf: a word that may be an option");
    return false;
  }
  if (first.pattern && mayBeOption(first)) unknown(run, first, "printf: names that match may be an option");
  if (!first.value.startsWith("-v")) return false;
  const name = first.value === "-v" ? second : literal(first.value.slice(2), first.span);
  return name === undefined ? false : leave(run, setName(run, name, run.shell.state));
}

/** `unset`: a name's subscript would be evaluated. */
export function unset(run: Run, args: readonly Arg[]): boolean {
  let { state } = run.shell;
  for (const arg of args) {
    if (arg.value === "-f") state = { ...state, defined: new Set() };
    else if (arg.value !== "-v" && arg.value !== "-n") state = setName(run, arg, state);
  }
  return leave(run, state);
}

/** `let`: evaluates its arguments; numbers and names that hold such are fine. */
export function letNames(run: Run, args: readonly Arg[]): boolean {
  let { state } = run.shell;
  for (const arg of args) {
    const [, name, value] = LET.exec(arg.pattern ? "" : (arg.value ?? "")) ?? [];
    if (name === undefined || assignRisk(name, null) !== "none") {
      unknown(run, arg, "let evaluates text as arithmetic");
      return leave(run, blur(run.shell.state));
    }
    checkArithmeticText(run, name);
    checkArithmeticText(run, value ?? "");
    state = withVar(state, name, NUMBER_VALUE);
  }
  return leave(run, state);
}

const LET = /^\s*([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%]?=)\s*([-+*/%\s\w()]+))$/;

function leave(run: Run, state: State): boolean {
  run.outcome = { ok: state, fail: state };
  return false;
}

function setEach(state: State, names: readonly string[]): State {
  return names.reduce((after, name) => withVar(after, name, UNKNOWN_VALUE), state);
}

function setName(run: Run, arg: Arg, state: State): State {
  const name = arg.value;
  if (name === null || !isPlainName(name)) {
    unknown(run, arg, `${run.program} sets a name that isn't plain`);
    return blur(state);
  }
  // `_` is where what isn't wanted goes; the shell sets it anew with every command.
  if (name !== "_" && assignRisk(name, null) !== "none")
    unknown(run, arg, `sets ${name}, which changes what runs`);
  return withVar(state, name, UNKNOWN_VALUE);
}
