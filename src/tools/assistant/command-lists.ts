import type { Effect } from "../../effect.ts";
import { Matcher, safePattern } from "./safe-pattern.ts";
import { redirections, type SimpleCommand, simpleCommands } from "./simple-command.ts";

/** A person's own lists of commands, as regular expressions without regard to case. */
export interface CommandPatterns {
  /** A command any part of which one of these fits, anywhere in it, never runs. */
  readonly deny?: readonly string[];
  /**
   * Only commands whose every part begins with one of these run; an empty list lets nothing run. What is on it is judged like any
   * other command.
   */
  readonly allow?: readonly string[];
}

/** Characters of a command line that patterns are held against. */
const MOST_CHARACTERS = 32 * 1024;

/** Compiled {@link CommandPatterns}, applied to one simple command at a time. */
export class CommandLists {
  readonly #deny: readonly Entry[];
  readonly #allow: readonly Entry[] | undefined;
  readonly #matcher = new Matcher();

  /** @throws ToolgateError `invalid_rule` naming a pattern that is no good */
  constructor({ deny = [], allow }: CommandPatterns) {
    this.#deny = deny.map((source) => ({
      source,
      regex: safePattern(source, "deny pattern", (text) => text),
    }));
    // From the command's beginning to the end of a word: `ls` is not `lsof`.
    this.#allow = allow?.map((source) => ({
      source,
      regex: safePattern(source, "allow pattern", (text) => `^(?:${text})(?:(?<=\\s)|(?=\\s|$))`),
    }));
  }

  /** Why a command line with these effects never runs, or `undefined` when it may. */
  refusal(effects: readonly Effect[]): string | undefined {
    const commands = simpleCommands(effects);
    return this.#denied([...commands, ...redirections(effects)]) ?? this.#notAllowed(commands);
  }

  #denied(commands: readonly SimpleCommand[]): string | undefined {
    if (this.#deny.length === 0) return undefined;
    const forms = commands.flatMap((command) => command.forms);
    if (isTooLong(forms)) return "It is too long to be held against the deny patterns.";
    for (const { source, regex } of this.#deny) {
      const hit = this.#matcher.run(() => forms.some((form) => regex.test(form)));
      if (hit === "late") return `The deny pattern ${JSON.stringify(source)} took too long with it.`;
      if (hit) return `The deny pattern ${JSON.stringify(source)} forbids it.`;
    }
    return undefined;
  }

  #notAllowed(commands: readonly SimpleCommand[]): string | undefined {
    const allow = this.#allow;
    if (allow === undefined) return undefined;
    if (allow.length === 0) return "The list of allowed commands is in force and empty: nothing runs.";
    const wholes = commands.map(({ whole }) => whole);
    if (isTooLong(wholes)) return "It is too long to be held against the allow patterns.";
    const other = wholes.find(
      (whole) => this.#matcher.run(() => allow.some(({ regex }) => regex.test(whole))) !== true,
    );
    if (other === undefined && wholes.length > 0) return undefined;
    const what =
      other === undefined ? "it starts no program" : `${JSON.stringify(other.slice(0, 100))} fits none`;
    return `Only commands that an allow pattern fits may run, and ${what}.`;
  }
}

interface Entry {
  readonly source: string;
  readonly regex: RegExp;
}

function isTooLong(forms: readonly string[]): boolean {
  return forms.reduce((sum, form) => sum + form.length, 0) > MOST_CHARACTERS;
}
