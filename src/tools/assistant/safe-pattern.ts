import { createContext, Script } from "node:vm";
import { ToolgateError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";

/** Characters of one pattern. */
const MOST_CHARACTERS = 500;
/** Milliseconds that a pattern may take for one command: far more than any needs, so that a busy machine refuses nothing. */
const MATCH_MS = 2000;

/**
 * A person's regular expression, ready and harmless: no text can keep it busy for long.
 * @throws ToolgateError `invalid_rule` naming the pattern and what is wrong with it
 */
export function safePattern(source: string, what: string, make: (source: string) => string): RegExp {
  // Python's way to say what holds here anyway.
  const plain = source.trim().replace(/^\(\?i\)/, "");
  const fault = faultOf(plain);
  if (fault !== undefined) {
    throw new ToolgateError("invalid_rule", `The ${what} ${JSON.stringify(source)} is no good: ${fault}.`, {
      hint: "Mend it or take it out; until then nothing is run.",
    });
  }
  return new RegExp(make(plain), "i");
}

function faultOf(source: string): string | undefined {
  if (source === "") return "it is empty";
  if (source.length > MOST_CHARACTERS)
    return `it has ${source.length} characters, and ${MOST_CHARACTERS} are the most`;
  if (/\\[AZ]|\(\?P[<=]/.test(source)) return "it is written for Python; write ^, $ and (?<name>…)";
  try {
    new RegExp(source, "i");
  } catch (error) {
    return error instanceof Error
      ? error.message.replace(/^Invalid regular expression: /, "")
      : String(error);
  }
  return slowPart(source);
}

const REPEATS = /^(?:[*+]|\{\d+,\d*\}|\{(?:[2-9]|\d\d+)\})/;

/** Tells which kind of repetition could take for ever: one of something that repeats or chooses itself, or a look back at a group. */
function slowPart(source: string): string | undefined {
  const bare = source.replace(/\\[^1-9k]/g, "x").replace(/\[(?:\\.|[^\]\\])*\]/g, "x");
  if (/\\[1-9k]/.test(bare)) return "it refers back to a group, which can take for ever";
  /** For each open group: whether it holds a repetition or a choice. */
  const groups: boolean[] = [false];
  for (let at = 0; at < bare.length; at += 1) {
    if (bare[at] === "(") groups.push(false);
    else if (bare[at] !== ")") {
      if (bare[at] === "|" || REPEATS.test(bare.slice(at))) mark(groups);
    } else if (groups.pop() === true) {
      mark(groups);
      if (REPEATS.test(bare.slice(at + 1)))
        return "it repeats a group that repeats or chooses itself, which can take for ever";
    }
  }
  return undefined;
}

function mark(groups: boolean[]): void {
  groups[groups.length - 1] = true;
}

/** Holds texts against patterns, within a time. Answers `"late"` when that wasn't enough. */
export class Matcher {
  readonly #box: { work: () => boolean };
  readonly #script = new Script("work()");

  constructor() {
    this.#box = { work: () => false };
    createContext(this.#box);
  }

  /** Whether `work` holds. */
  run(work: () => boolean): boolean | "late" {
    this.#box.work = work;
    try {
      return this.#script.runInContext(this.#box, { timeout: MATCH_MS }) === true;
    } catch (error) {
      // It may come from the other context, where errors are another class.
      if (isObject(error) && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return "late";
      throw error;
    } finally {
      this.#box.work = () => false;
    }
  }
}
