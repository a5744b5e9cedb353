import type { ParsedScript } from "unbash";
import type { Effect, Span } from "../effect.ts";
import type { Arg } from "./arg.ts";
import type { Dialect } from "./dialect.ts";
import type { Outcome, State, Taint } from "./state.ts";

/** What one analysis shares: where effects go, and what bounds it. */
export interface Context {
  readonly home: string;
  /** The directory that the whole command starts in. */
  readonly cwd: string;
  readonly effects: Effect[];
  readonly errors: string[];
  /** Directories that commands are run in besides the first; `null` stands for any. */
  readonly visited: Set<string | null>;
  /** Steps left before the analysis gives up. */
  budget: number;
  /** Part numbers by syntax node, so that a loop's body keeps its numbers. */
  readonly parts: Map<object, number>;
  nextPart: number;
  /** It sets where words are split. */
  splits: boolean;
  /** Names that the command line defines as functions, anywhere. */
  readonly functions: Set<string>;
  /** Judges a parsed script in a shell; leaves the shell as the script does. */
  readonly walk: (shell: Shell, script: ParsedScript) => void;
}

/** More than the analysis is willing to go through. */
export class TooMuch extends Error {}

/**
 * Takes steps from the budget: a node, an effect, a version of a word, a wrapper.
 *
 * @throws TooMuch when none are left; what was found by then is no answer.
 */
export function spend(context: Context, steps: number): void {
  context.budget -= steps;
  if (context.budget < 0) throw new TooMuch("too much to be judged");
}

/** Notes where commands are run from here on. */
export function visit(context: Context, bases: readonly string[] | null): readonly string[] | null {
  for (const base of bases ?? [null]) context.visited.add(base);
  return bases;
}

/** A shell that runs a script: this one, a subshell's or a `bash -c`'s. */
export interface Shell {
  readonly context: Context;
  state: State;
  /** Set inside text that isn't part of the command itself (`bash -c '…'`): the span of the word it came from. */
  readonly within: Span | null;
  readonly depth: number;
  readonly dialect: Dialect;
}

/** Where an effect belongs: a shell, a part of the command, a place in the text. */
export interface Scope {
  readonly shell: Shell;
  readonly part: number;
  readonly span: Span;
}

/** One program that is started, after wrappers were taken off. */
export interface Run extends Scope {
  readonly program: string;
  /** Programs taken off before this one, outermost first. */
  readonly wrappers: readonly string[];
  /** It is the shell itself that runs it, so that built-ins act on this shell. */
  readonly inShell: boolean;
  /** Text known to be on its standard input; `null` when there is some that isn't known. */
  readonly stdin: string | null | undefined;
  /** Directories that relative paths start from; starts as the shell's, moved by `-C`. */
  bases: readonly string[] | null;
  /** Where the command leaves the shell; built-ins set it. `undefined` means as it was. */
  outcome: Outcome | undefined;
  /** Judges a command that this one starts, as part of it. */
  readonly start: (argv: readonly Arg[], how: Start) => void;
  /** Judges a script that this one runs. `false` when its text isn't known. */
  readonly script: (code: Arg, how?: ScriptKind) => boolean;
}

/** How a command is started by another. */
export interface Start {
  /** The wrapper's name as rules see it. */
  readonly wrapper: string;
  /** It is a part of its own (`find -exec`), not the same command unwrapped (`timeout 5 …`). */
  readonly ownPart?: boolean;
  /** The same shell runs it (`command cd`). */
  readonly inShell?: boolean;
  /** Directories it starts in, when not those of the starter. */
  readonly bases?: readonly string[] | null;
  /** What the wrapper makes of the environment, when it changes it. */
  readonly taint?: Taint;
}

/** Where a script runs: in a new shell process, or in this shell (`eval`). */
export type ScriptKind = "child" | "here";
