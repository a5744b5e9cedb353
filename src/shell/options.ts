import { type Arg, mayBeOption, tail } from "./arg.ts";
import type { Compiled } from "./compile.ts";
import { unknown } from "./emit.ts";
import { applyValue } from "./operands.ts";
import type { OptionKind } from "./program.ts";
import type { Reader } from "./reader.ts";
import type { Run } from "./run.ts";

/** What came of a program's words. */
export interface Parsed {
  readonly operands: readonly Arg[];
  /** Names of the options given, in full. */
  readonly seen: ReadonlySet<string>;
  readonly recursive: boolean;
  readonly forced: boolean;
  /** There is a word that may be an option. */
  readonly unsure: boolean;
  /** How many of the operands stand before `--`, where there is one. */
  readonly before: number | undefined;
}

interface Progress {
  readonly run: Run;
  readonly compiled: Compiled;
  readonly args: readonly Arg[];
  readonly readers: ReadonlyMap<string, Reader>;
  readonly operands: Arg[];
  readonly seen: Set<string>;
  at: number;
  unsure: boolean;
  before: number | undefined;
}

/** Sorts a program's words into options and operands, and adds the options' effects. */
export function parseOptions(
  run: Run,
  compiled: Compiled,
  args: readonly Arg[],
  readers: ReadonlyMap<string, Reader>,
): Parsed {
  const state: Progress = {
    run,
    compiled,
    args,
    readers,
    operands: [],
    seen: new Set(),
    at: 0,
    unsure: false,
    before: undefined,
  };
  while (state.at < args.length) {
    const arg = args[state.at];
    state.at += 1;
    if (arg === undefined) break;
    if (arg.value === "--" && !arg.pattern) {
      state.before = state.operands.length;
      state.operands.push(...args.slice(state.at));
      break;
    }
    if (arg.value === null && mayBeOption(arg)) state.unsure = true;
    if (isOption(state, arg)) takeOption(state, arg);
    else if (compiled.posix) {
      state.operands.push(arg, ...args.slice(state.at));
      break;
    } else state.operands.push(arg);
  }
  const { seen, operands, unsure, before } = state;
  return {
    operands,
    before,
    seen,
    unsure,
    recursive: compiled.row.recursive === true || hasKind(state, "recursive") || isRecursed(compiled, seen),
    forced: hasKind(state, "force"),
  };
}

function isRecursed({ row }: Compiled, seen: ReadonlySet<string>): boolean {
  return row.recursedBy?.split(" ").some((name) => seen.has(name)) ?? false;
}

function hasKind(state: Progress, kind: OptionKind): boolean {
  for (const name of state.seen) if (state.compiled.options.get(name) === kind) return true;
  return false;
}

function isOption(state: Progress, arg: Arg): boolean {
  if (arg.value !== null && !arg.pattern) return arg.value.length > 1 && arg.value.startsWith("-");
  if (!mayBeOption(arg)) return false;
  // Where no option can hurt, a word that may be one is as good as an operand.
  const { safe, loose, looseGlobs } = state.compiled.row;
  if (looseGlobs && arg.value !== null && /^[^/-][^/]*\.\w+$/.test(arg.value)) return false;
  return !(safe || loose) || arg.prefix.startsWith("-");
}

function takeOption(state: Progress, arg: Arg): void {
  const { compiled } = state;
  if (arg.value === null || arg.pattern) takeUnsure(state, arg);
  else if (compiled.row.style === "single") takeSingle(state, arg, arg.value);
  else if (arg.value.startsWith("--")) takeLong(state, arg, arg.value);
  else takeShort(state, arg, arg.value);
}

/** An option of which only the beginning is known: fine when that names the option and the rest is its value. */
function takeUnsure(state: Progress, arg: Arg): void {
  const { run, compiled } = state;
  const sure = !arg.many && !arg.pattern;
  const long = sure ? /^--[\w-]+=/.exec(arg.prefix)?.[0] : undefined;
  if (long !== undefined) {
    const name = long.slice(0, -1);
    const kind = findLong(compiled, name)?.kind;
    if (kind !== undefined && kind !== "flag") {
      takeValue(state, name, kind, tail(arg, long.length));
      return;
    }
  }
  const short = arg.prefix.slice(0, 2);
  const kind = sure ? compiled.options.get(short) : undefined;
  if (kind !== undefined && takesArgument(kind)) takeValue(state, short, kind, tail(arg, 2));
  else if (isJudged(compiled, arg)) unknown(run, arg, `a word that may be an option of ${run.program}`);
  else if (arg.many) state.operands.push({ ...arg, value: null, prefix: "" });
}

function takeLong(state: Progress, arg: Arg, text: string): void {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const found = findLong(state.compiled, name);
  if (found === undefined) {
    unknownOption(state, arg, name);
    return;
  }
  const { kind } = found;
  if (equals < 0) {
    // A short form of a name may stand for an option that isn't listed and takes nothing: then the next word is an operand.
    const sure = found.name === name || state.compiled.row.safe !== true;
    if (takesArgument(kind) && sure) takeNext(state, arg, found.name, kind);
    else state.seen.add(found.name);
    return;
  }
  const value = text.slice(equals + 1);
  if (takesArgument(kind) || kind === "maybe") takeValue(state, found.name, kind, tail(arg, equals + 1));
  else if (state.compiled.row.style === "exact") switchFlag(state, arg, found.name, value);
  else unknownOption(state, arg, text);
}

/** `--flag=true` is the flag, `--flag=false` is as if it weren't there. */
function switchFlag(state: Progress, arg: Arg, name: string, value: string): void {
  if (value === "true") state.seen.add(name);
  else if (value !== "false") unknownOption(state, arg, `${name}=${value}`);
}

function findLong(compiled: Compiled, name: string): { name: string; kind: OptionKind } | undefined {
  const exact = compiled.options.get(name);
  if (exact !== undefined) return { name, kind: exact };
  if ((compiled.row.style ?? "gnu") !== "gnu") return undefined;
  const all = compiled.long.filter((each) => each.startsWith(name));
  const first = all[0];
  if (first === undefined) return undefined;
  const kind = compiled.options.get(first);
  // Several candidates of one meaning are aliases or an error; of different meanings, can't be told.
  const agree = all.every((each) => compiled.options.get(each) === kind);
  return agree && kind !== undefined ? { name: first, kind } : undefined;
}

function takeShort(state: Progress, arg: Arg, text: string): void {
  const { compiled } = state;
  const whole = text.length > 2 ? compiled.options.get(text) : undefined;
  if (whole !== undefined) {
    if (takesArgument(whole)) takeNext(state, arg, text, whole);
    else state.seen.add(text);
    return;
  }
  for (let at = 1; at < text.length; at += 1) if (takeLetter(state, arg, at)) return;
}

/** Takes one letter of a bundle; `true` when there is nothing more to take from it. */
function takeLetter(state: Progress, arg: Arg, at: number): boolean {
  const { digits, options } = state.compiled;
  const name = `-${arg.prefix[at]}`;
  const kind = digits && /^-\d$/.test(name) ? "flag" : options.get(name);
  if (kind === undefined) return unknownOption(state, arg, name);
  const last = at + 1 >= arg.prefix.length;
  if (!takesArgument(kind) && (kind !== "maybe" || last)) {
    state.seen.add(name);
    return kind === "maybe";
  }
  if (last) takeNext(state, arg, name, kind);
  else takeValue(state, name, kind, tail(arg, at + 1));
  return true;
}

function takeSingle(state: Progress, arg: Arg, text: string): void {
  const equals = text.indexOf("=");
  const written = equals < 0 ? text : text.slice(0, equals);
  const name = written.startsWith("--") ? written.slice(1) : written;
  const kind = state.compiled.options.get(name) ?? state.compiled.options.get(written);
  if (kind === undefined) unknownOption(state, arg, written);
  else if (equals >= 0 && kind !== "maybe" && !takesArgument(kind))
    switchFlag(state, arg, name, text.slice(equals + 1));
  else if (equals >= 0) takeValue(state, name, kind, tail(arg, equals + 1));
  else if (takesArgument(kind)) takeNext(state, arg, name, kind);
  else state.seen.add(name);
}

function takeNext(state: Progress, option: Arg, name: string, kind: OptionKind): void {
  const next = state.args[state.at];
  if (next === undefined) {
    state.seen.add(name);
    return;
  }
  state.at += 1;
  if (next.many && isJudged(state.compiled, next)) {
    unknown(state.run, next, `the argument of ${option.value ?? name} may be several words`);
    state.seen.add(name);
    return;
  }
  takeValue(state, name, kind, next);
}

function takeValue(state: Progress, name: string, kind: OptionKind, value: Arg): void {
  state.seen.add(name);
  // What follows the first of several words is the program's own operands.
  if (value.many && state.compiled.row.safe) state.operands.push({ ...value, value: null, prefix: "" });
  if (kind === "flag" || kind === "maybe" || kind === "recursive" || kind === "force") return;
  applyValue(state.run, kind, value, { recursive: false, forced: false, readers: state.readers });
}

/** Says that an option isn't known; `true` unless no option of the program can hurt. */
function unknownOption(state: Progress, arg: Arg, name: string): boolean {
  if (isJudged(state.compiled, arg))
    unknown(state.run, arg, `${state.run.program}: option ${name} isn't known`);
  return state.compiled.row.safe !== true;
}

/** Whether a word that isn't known matters: no option of a safe row does harm, and an opaque row says already that it may do anything. */
function isJudged(compiled: Compiled, arg: Arg): boolean {
  return compiled.row.safe !== true && (!compiled.alwaysOpaque || arg.substituted);
}

function takesArgument(kind: OptionKind): boolean {
  return kind !== "flag" && kind !== "maybe" && kind !== "recursive" && kind !== "force";
}
