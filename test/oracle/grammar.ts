import type { ValueKind } from "../../src/shell/program.ts";
import { quote, quoteFancily } from "./quote.ts";
import type { Random } from "./random.ts";
import { FILES, FOLDERS, NEW, PROGRAMS, pieces, script, TEXTS, TOUCHY } from "./values.ts";
import { type KnownOption, USUAL, type Verb } from "./vocabulary.ts";

/** Makes commands, from the vocabulary of the installed programs. */
export class Grammar {
  readonly #random: Random;
  readonly #verbs: readonly Verb[];
  readonly #usual: readonly Verb[];
  readonly #git: readonly Verb[];

  constructor(random: Random, verbs: readonly Verb[]) {
    this.#random = random;
    this.#verbs = verbs;
    this.#usual = verbs.filter(({ words }) => words.length === 1 && USUAL.includes(words[0] ?? ""));
    this.#git = verbs.filter(({ words }) => words[0] === "git");
  }

  /** One program with its words. */
  simple(): string {
    const random = this.#random;
    const share = random.next();
    const verb = random.pick(share < 0.5 ? this.#usual : share < 0.7 ? this.#git : this.#verbs);
    const { language } = verb;
    const own = language === undefined ? undefined : pieces(language);
    if (own !== undefined && language !== "sed" && language !== "awk" && language !== "jq") {
      return [...verb.words, ...this.#around(language, own)].join(" ");
    }
    return this.#ordinary(verb);
  }

  #ordinary(verb: Verb): string {
    const random = this.#random;
    const [first = "", ...rest] = verb.words;
    const words: string[] = [];
    const options = random
      .some(verb.options, 0, random.chance(0.6) ? 1 : 3)
      .map((option) => this.#option(option));
    for (const kind of this.#slots(verb)) words.push(this.#word(this.#value(kind)));
    for (const option of options) {
      const at = random.chance(0.75) ? 0 : random.below(words.length + 1);
      words.splice(at, 0, option);
    }
    if (random.chance(0.03)) words.splice(random.below(words.length + 1), 0, "--");
    return [first, ...rest, ...words].join(" ");
  }

  /** Words of `find`, `tar` and the like: their pieces, in an order that makes some sense. */
  #around(language: string | undefined, own: readonly string[]): string[] {
    const random = this.#random;
    const count = random.chance(0.5) ? 2 : 5;
    const parts = random.some(own, 1, count).map((part) => (language === "find" ? part : this.#shown(part)));
    if (language === "find")
      return [random.pick([".", "src", "", ". src", "./tests"]), ...parts.map(bracket)];
    if (language === "test") return random.chance(0.5) ? [...parts, "]"] : parts;
    return parts;
  }

  #slots(verb: Verb): ValueKind[] {
    const random = this.#random;
    const { operands, language } = verb;
    const count = random.chance(0.7) ? operands.length : random.below(operands.length + 2);
    const kinds = Array.from(
      { length: count },
      (_, index) => operands[index] ?? random.pick(operands.concat("text")),
    );
    if (language === "sed" && kinds[0] !== "sed") kinds.unshift("sed");
    return kinds;
  }

  #option({ name, kind, takesValue }: KnownOption): string {
    const random = this.#random;
    const long = name.startsWith("--");
    const written = long && random.chance(0.12) ? name.slice(0, 3 + random.below(name.length - 2)) : name;
    if (!takesValue && random.chance(0.95))
      return !long && random.chance(0.15) ? this.#bundle(name) : written;
    if (kind === "maybe" && random.chance(0.5)) return written;
    const value = this.#word(this.#value(isValue(kind) ? kind : undefined));
    if (long) return random.chance(0.6) ? `${written}=${value}` : `${written} ${value}`;
    return random.chance(0.4) ? `${written}${value}` : `${written} ${value}`;
  }

  /** Several short options in one word. */
  #bundle(name: string): string {
    const letters = this.#random.some([..."abcdefghilmnopqrstuvwxzCEFHILNOPRSTWXZ0123"], 1, 2);
    return this.#random.chance(0.5) ? `${name}${letters.join("")}` : `-${letters.join("")}${name.slice(1)}`;
  }

  #value(kind: ValueKind | undefined): string {
    const random = this.#random;
    if (random.chance(0.12)) return this.#anything();
    switch (kind) {
      case "sed":
      case "awk":
      case "jq":
        return script(random, kind);
      case "read":
      case "input":
        return random.chance(0.05) ? random.pick(TOUCHY) : random.pick(random.chance(0.85) ? FILES : FOLDERS);
      case "list":
      case "dir":
        return random.pick(random.chance(0.5) ? FILES : FOLDERS);
      case "write":
      case "output":
      case "delete":
        return random.pick(random.chance(0.7) ? NEW : FILES);
      case "run":
      case "shell":
      case "argv":
        return random.pick(PROGRAMS);
      case "git-object":
        return random.pick([
          "HEAD",
          "HEAD~1",
          "main",
          "v1.0",
          "HEAD:notes.txt",
          "--",
          "src",
          "stash@{0}",
          ":notes.txt",
          "main..topic",
        ]);
      case "git-format":
        return random.pick([
          "oneline",
          "%h %s",
          "%H%n%an",
          "format:%h",
          "%(trailers)",
          "%G?",
          "%GS",
          "fuller",
          "%(refname)",
          "%d",
        ]);
      default:
        return random.chance(0.05) ? random.pick(TOUCHY) : random.pick(TEXTS);
    }
  }

  #anything(): string {
    const random = this.#random;
    return random.pick(random.pick([FILES, FOLDERS, NEW, PROGRAMS, TEXTS, TOUCHY]));
  }

  /** A value as a word of the shell: mostly quoted so that it stays what it is. */
  #word(value: string): string {
    const random = this.#random;
    if (random.chance(0.08)) return value === "" ? "''" : value;
    return random.chance(0.12) ? quoteFancily(random, value) : quote(value);
  }

  #shown(value: string): string {
    return this.#random.chance(0.2) ? value : quote(value);
  }
}

/** Characters that the shell would take for itself. */
function bracket(part: string): string {
  return part.replace(/^[()!]$/, (sign) => (sign === "!" ? sign : `\\${sign}`)).replace(/ (\*\S*)$/, " '$1'");
}

function isValue(kind: KnownOption["kind"]): kind is ValueKind {
  return (
    kind !== undefined && kind !== "flag" && kind !== "maybe" && kind !== "recursive" && kind !== "force"
  );
}
