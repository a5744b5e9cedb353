/** One word of a command rule: literal text, or text with `*` that stands for anything. */
export interface RuleWord {
  /** Without quotes and escapes; a wildcard is `WILD`. */
  readonly text: string;
  readonly wild: boolean;
}

/** Marks a wildcard inside a word; it can't occur in a command. */
export const WILD = "\u0001";

/** A command rule taken apart. */
export interface CommandPattern {
  readonly words: readonly RuleWord[];
  /** It ended in `:*`: more words may follow. */
  readonly prefix: boolean;
  /** Some word holds a wildcard. */
  readonly wild: boolean;
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const SKIPPED_WRAPPERS: ReadonlySet<string> = new Set([
  "time",
  "timeout",
  "nice",
  "ionice",
  "nohup",
  "stdbuf",
  "setsid",
  "env",
  "command",
  "builtin",
  "exec",
]);

/**
 * Takes the content of a command rule apart: words as a shell would split them, `*` for anything, `\*` for a star, `:*` at the end for
 * "and whatever follows", a leading `~/` for the home. Leading assignments and transparent wrappers (`timeout 30`) are dropped, as they are
 * from commands.
 */
export function parseCommandPattern(content: string, home = "~"): CommandPattern {
  const prefix = content.endsWith(":*");
  const words = dropWrappers(splitWords(prefix ? content.slice(0, -2) : content, home));
  return { words, prefix, wild: words.some((word) => word.wild) };
}

function splitWords(text: string, home: string): readonly RuleWord[] {
  const words: RuleWord[] = [];
  for (const match of text.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s])+/gs)) {
    const raw = match[0];
    words.push(readWord(/^~(?:\/|$)/.test(raw) ? home + raw.slice(1) : raw));
  }
  return words;
}

function readWord(raw: string): RuleWord {
  let text = "";
  for (const match of raw.matchAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|(.)/gs)) {
    const [, single, double, escaped, plain] = match;
    if (single !== undefined) text += single.replaceAll("*", WILD);
    else if (double !== undefined) text += readDouble(double);
    else text += escaped ?? (plain === "*" ? WILD : (plain ?? ""));
  }
  return { text, wild: text.includes(WILD) };
}

function readDouble(text: string): string {
  return text.replace(
    /\\([\\"$`*])|\*/gs,
    (whole, escaped: string | undefined) => escaped ?? (whole === "*" ? WILD : whole),
  );
}

function dropWrappers(words: readonly RuleWord[]): readonly RuleWord[] {
  let from = 0;
  while (from < words.length) {
    const text = words[from]?.text ?? "";
    if (ASSIGNMENT.test(text)) from += 1;
    else if (SKIPPED_WRAPPERS.has(text)) from = afterOptions(words, from + 1);
    else break;
  }
  // A rule about nothing but a wrapper means the wrapper.
  return from >= words.length ? words : words.slice(from);
}

function afterOptions(words: readonly RuleWord[], start: number): number {
  let at = start;
  while (at < words.length && /^(?:-.*|\d+(?:\.\d+)?[smhd]?)$/s.test(words[at]?.text ?? "")) at += 1;
  return at;
}
