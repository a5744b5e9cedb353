import type { Effect } from "../effect.ts";
import { readsOtherwise } from "./dialect.ts";
import { parser } from "./parser.ts";
import { resolvePath } from "./paths.ts";
import { type Context, type Shell, TooMuch } from "./run.ts";
import { hasControls } from "./screen.ts";
import { isTooMuch } from "./size.ts";
import { freshState } from "./state.ts";
import { walkScript } from "./walk.ts";

export { loadParser } from "./parser.ts";

/** Where a command would run. */
export interface ShellOptions {
  /** Absolute POSIX path. */
  readonly cwd: string;
  /** Absolute POSIX path that `~` and `$HOME` stand for. */
  readonly home: string;
  /** Which shell is given the command. @default "bash" */
  readonly dialect?: "bash" | "sh";
}

/** What a command line does, as far as it can be told without running it. */
export interface ShellAnalysis {
  readonly effects: readonly Effect[];
  /** The directory the shell is in afterwards, when that is certain; else `null`. */
  readonly cwd: string | null;
  /** Every directory that it goes to, or starts a program in, on its way; `null` stands for any. */
  readonly visited: readonly (string | null)[];
  /** What the parser found wrong; not empty means an `unknown` effect is there too. */
  readonly errors: readonly string[];
}

/** The longest command that is judged, in characters. */
export const MAX_COMMAND: number = 128 * 1024;

const MAX_STEPS = 7_000;

/**
 * Turns a command line into its effects. Pure; never throws; bounded in size and depth.
 * Without `loadParser` having finished, and past the bounds, the answer is one `unknown` effect.
 */
export function analyse(command: string, options: ShellOptions): ShellAnalysis {
  const parse = parser()?.parse;
  if (parse === undefined) return refuse("the shell parser isn't loaded");
  if (command.length > MAX_COMMAND) return refuseSize("too long to be judged");
  if (isTooMuch(command)) return refuseSize("too much to be judged");
  try {
    const { dialect = "bash" } = options;
    const context = contextFor(options, command);
    const shell: Shell = {
      context,
      state: freshState([options.cwd]),
      within: null,
      depth: 0,
      dialect,
    };
    if (hasControls(command)) {
      const danger = "control characters hide what a command does";
      context.effects.push({ kind: "unknown", why: "the command holds control characters", danger });
    }
    if (readsOtherwise(command, dialect)) {
      context.effects.push({
        kind: "unknown",
        why: "the shell there is sh, which may read this otherwise than bash",
      });
    }
    walkScript(shell, parse(command));
    const { bases } = shell.state;
    const cwd = bases?.length === 1 && bases[0] !== undefined ? resolvePath("/", bases[0]) : null;
    return { effects: context.effects, cwd, visited: [...context.visited], errors: context.errors };
  } catch (error) {
    if (error instanceof TooMuch) return refuseSize(error.message);
    // A fault here must never let a command through: whatever it was, it wasn't judged.
    return refuse(`the analysis failed: ${error instanceof Error ? error.message : "unknown fault"}`);
  }
}

function contextFor(options: ShellOptions, command: string): Context {
  return {
    home: options.home,
    cwd: options.cwd,
    effects: [],
    errors: [],
    visited: new Set(),
    budget: MAX_STEPS,
    parts: new Map(),
    nextPart: 0,
    splits: false,
    functions: functionNames(command),
    walk: walkScript,
  };
}

// Anchored at a word's beginning, so that a long text is gone over once.
const FUNCTION = /\bfunction\s+([^\s;&|<>(){}'"`$]+)|(?<![^\s;&|<>(){}'"`$])([^\s;&|<>(){}'"`$]+)\s*\(\s*\)/g;

/** Names that may be defined as functions anywhere in the text: a call before the definition is then not a program for certain. */
function functionNames(command: string): Set<string> {
  const names = new Set<string>();
  if (!/\(\s*\)|\bfunction\b/.test(command)) return names;
  for (const match of command.matchAll(FUNCTION)) {
    const name = match[1] ?? match[2];
    if (name !== undefined) names.add(name);
  }
  return names;
}

/** Padding must not hide a removal that is always asked about, so what is too big is always asked about too. */
function refuseSize(why: string): ShellAnalysis {
  return { effects: [{ kind: "unknown", why, danger: why }], cwd: null, visited: [null], errors: [why] };
}

function refuse(why: string): ShellAnalysis {
  return { effects: [{ kind: "unknown", why }], cwd: null, visited: [null], errors: [why] };
}
