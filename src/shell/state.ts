import { isCounter, isKept } from "./names.ts";

/** What is known about a shell variable: its text, or only that it is a whole number, or nothing. */
export interface Value {
  readonly text: string | null;
  /** The text is a glob that was expanded: it stands for any name that matches. */
  readonly pattern: boolean;
  readonly numeric: boolean;
  /** It can't begin with `-`, although its text isn't known. */
  readonly plain?: boolean;
}

/** A variable that was set to something that can't be known. */
export const UNKNOWN_VALUE: Value = { text: null, pattern: false, numeric: false };

/** A variable that holds some whole number. */
export const NUMBER_VALUE: Value = { text: null, pattern: false, numeric: true };

/** A variable with a known text. */
export function known(text: string, pattern = false): Value {
  return { text, pattern, numeric: !pattern && /^-?\d+$/.test(text) };
}

/**
 * How far the environment of later programs was changed: not; in a way that may matter to some; in a way that makes
 * some load or start something else; in a way that makes any of them another program.
 */
export type Taint = "none" | "environment" | "hook" | "loader";

const TAINTS: readonly Taint[] = ["none", "environment", "hook", "loader"];

/** What a shell knows at one point of a script. Immutable: a change makes a new one. */
export interface State {
  /** The directories it may be in, all absolute; `null` when it may be anywhere. */
  readonly bases: readonly string[] | null;
  /** Variables set by the command line itself; the others come from the environment. */
  readonly vars: ReadonlyMap<string, Value>;
  /** Any variable may have been set (`read`, `eval`, a function call). */
  readonly blurred: boolean;
  readonly taint: Taint;
  /** Functions that are certainly defined here, their bodies judged already. */
  readonly defined: ReadonlySet<string>;
}

/** Where a simple command, or a list of them, may leave the shell. `null` is a way that can't be. */
export interface Outcome {
  readonly ok: State | null;
  readonly fail: State | null;
}

const MAX_BASES = 4;
const NO_VARS: ReadonlyMap<string, Value> = new Map();
const NO_NAMES: ReadonlySet<string> = new Set();

/** A shell that was just started. */
export function freshState(bases: readonly string[] | null, taint: Taint = "none"): State {
  return { bases, vars: NO_VARS, blurred: false, taint, defined: NO_NAMES };
}

/** A copy with one variable set; what the shell keeps up itself isn't what it was given for long. */
export function withVar(state: State, name: string, value: Value): State {
  const held = isCounter(name) ? NUMBER_VALUE : isKept(name) ? UNKNOWN_VALUE : value;
  return { ...state, vars: new Map(state.vars).set(name, held) };
}

/** A copy in another directory. */
export function withBases(state: State, bases: readonly string[] | null): State {
  return { ...state, bases };
}

/** A copy in which programs started later see another environment. */
export function withTaint(state: State, taint: Taint): State {
  return { ...state, taint: worse(state.taint, taint) };
}

/** A copy in which nothing is known about variables and directory. */
export function blur(state: State): State {
  return { ...state, bases: null, vars: NO_VARS, blurred: true };
}

/** The stronger of two taints. */
export function worse(a: Taint, b: Taint): Taint {
  return TAINTS.indexOf(a) > TAINTS.indexOf(b) ? a : b;
}

/** Both ways at once: the outcome of a command that doesn't change the shell. */
export function same(state: State): Outcome {
  return { ok: state, fail: state };
}

/** What is known when either of two ways may have been taken. */
export function join(a: State | null, b: State | null): State | null {
  if (a === null || a === b) return b;
  if (b === null) return a;
  return {
    bases: joinBases(a.bases, b.bases),
    vars: joinVars(a.vars, b.vars),
    blurred: a.blurred || b.blurred,
    taint: worse(a.taint, b.taint),
    defined: a.defined === b.defined ? a.defined : a.defined.intersection(b.defined),
  };
}

function joinBases(a: State["bases"], b: State["bases"]): State["bases"] {
  if (a === b) return a;
  if (a === null || b === null) return null;
  const all = [...new Set([...a, ...b])];
  return all.length > MAX_BASES ? null : all;
}

function joinVars(a: State["vars"], b: State["vars"]): State["vars"] {
  if (a === b) return a;
  const result = new Map<string, Value>();
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    result.set(name, joinValue(a.get(name), b.get(name)));
  }
  return result;
}

function joinValue(a: Value | undefined, b: Value | undefined): Value {
  if (a === undefined || b === undefined) return UNKNOWN_VALUE;
  if (a.text !== null && a.text === b.text && a.pattern === b.pattern) return a;
  if (a.plain && b.plain) return { ...UNKNOWN_VALUE, plain: true };
  return a.numeric && b.numeric ? NUMBER_VALUE : UNKNOWN_VALUE;
}

/** Where `~` and a bare `cd` lead; `null` when that isn't known. */
export function homeOf(state: State, home: string): string | null {
  const value = lookUp(state, "HOME", home);
  return value === undefined || value.pattern ? null : value.text;
}

/** What `$name` stands for, when the command line itself, or the place it runs in, says so. */
export function lookUp(state: State, name: string, home: string): Value | undefined {
  const value = state.vars.get(name);
  if (value !== undefined) return value;
  if (state.blurred) return UNKNOWN_VALUE;
  if (name === "HOME") return known(home);
  const base = state.bases?.[0];
  if (name === "PWD" && state.bases?.length === 1 && base !== undefined)
    return base.includes("/..") ? UNKNOWN_VALUE : known(base);
  return undefined;
}
