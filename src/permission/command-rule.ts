import type { ExecuteEffect } from "../effect.ts";
import { baseOf } from "./canonical.ts";
import { type CommandPattern, parseCommandPattern, type RuleWord, WILD } from "./rule-words.ts";
import { TRANSPARENT_WRAPPERS } from "./wrappers.ts";

type Argv = readonly (string | null)[];

/** A command rule, ready to be compared. */
export interface CommandRule {
  readonly pattern: CommandPattern;
  /** The program it names, without directories; `undefined` when a wildcard stands there. Rules are found by it. */
  readonly program: string | undefined;
  readonly regex: RegExp | undefined;
  /** For deny and ask rules: the words up to the first wildcard. Anything may follow them. */
  readonly start: readonly RuleWord[];
  /** A wildcard stands before other words, so that `start` alone says too little. */
  readonly inner: boolean;
}

/** Stands between words in the text that wildcards are compared with; no argument can hold it. */
const BREAK = "\0";
/** Stands for a word that isn't known before it runs; only a wildcard matches it. */
const UNKNOWN_WORD = "\u0002";

/** Makes a rule's content ready; `home` is what a leading `~/` stands for, as it does in commands. An empty one is about every command. */
export function compileCommandRule(content: string, home: string): CommandRule {
  const pattern = parseCommandPattern(content, home);
  const { words } = pattern;
  const first = words[0];
  const firstWild = words.findIndex((word) => word.wild);
  return {
    pattern,
    program: first === undefined || first.wild ? undefined : programName(first.text).toLowerCase(),
    regex: pattern.wild || words.length === 0 ? wordsRegex(pattern) : undefined,
    start: firstWild < 0 ? words : words.slice(0, firstWild),
    inner: firstWild >= 0 && !(firstWild === words.length - 1 && words[firstWild]?.text === WILD),
  };
}

/** A program's name for deny rules: no directories, no Windows suffix. */
export function programName(program: string): string {
  return baseOf(program).replace(/\.(?:exe|cmd|bat|com)$/i, "");
}

/**
 * Whether a deny or ask rule speaks about this command in any form: by a path, through wrappers, with options in another order or
 * place, and where a word isn't known yet but could be the rule's.
 */
export function commandFires(rule: CommandRule, effect: ExecuteEffect): boolean {
  const { argv, wrappers } = effect;
  if (rule.regex !== undefined && regexFires(rule.regex, argv)) return true;
  if (firesOn(rule, rule.start, argv)) return true;
  if (wrappers === undefined || wrappers.length === 0) return false;
  if (rule.regex !== undefined && regexFires(rule.regex, [...wrappers, ...argv])) return true;
  return firesOnWrapped(rule, wrappers, argv);
}

/** Whether an allow rule covers this command: word for word, and no wrapper that changes what it means stays unnamed. */
export function commandCovers(rule: CommandRule, effect: ExecuteEffect): boolean {
  const { argv, wrappers } = effect;
  if (wrappers === undefined || wrappers.length === 0) return coversWords(rule, argv);
  const named = wrappers.filter((name) => !TRANSPARENT_WRAPPERS.has(baseOf(name)));
  if (coversWords(rule, [...named, ...argv])) return true;
  // `find:*` is about finding; what find then runs has to be named.
  return rule.pattern.words.length > wrappers.length && coversWords(rule, [...wrappers, ...argv]);
}

function coversWords({ pattern, regex }: CommandRule, argv: Argv): boolean {
  if (regex !== undefined) return regex.test(joined(argv));
  const { words, prefix } = pattern;
  if (prefix ? argv.length < words.length : argv.length !== words.length) return false;
  return words.every((word, index) => word.text === argv[index]);
}

function regexFires(regex: RegExp, argv: Argv): boolean {
  if (regex.test(joined(argv))) return true;
  const program = argv[0];
  return typeof program === "string" && regex.test(joined([programName(program), ...argv.slice(1)]));
}

function firesOnWrapped(rule: CommandRule, wrappers: readonly string[], argv: Argv): boolean {
  const [first, ...rest] = rule.start;
  if (first === undefined || !wrappers.some((name) => sameProgram(first.text, name))) return false;
  if (rest.length === 0) return true;
  // What stands between the wrapper and the command in the rule may be the wrapper's own options.
  return rest.some((_, index) => firesOn(rule, rest.slice(index), argv));
}

/** Compares with options skipped: `git push` is also `git -C x push`, `rm -rf` also `rm -f -r`. */
function firesOn(rule: CommandRule, words: readonly RuleWord[], argv: Argv): boolean {
  const [program, ...rest] = words;
  const [name] = argv;
  if (program === undefined || name === null || name === undefined) return false;
  if (!sameProgram(program.text, name)) return false;
  // What follows an inner wildcard is for the expression to say, unless a word isn't known.
  if (rule.inner && !argv.includes(null)) return false;
  const options = rest.filter((word) => isOption(word.text));
  if (!options.every((word) => hasOption(argv, word.text))) return false;
  const operands = rest.filter((word) => !isOption(word.text));
  return operandsFire(operands, argv);
}

/** Whether the rule's operands come in order, with nothing but options (and one value for each) between. */
function operandsFire(operands: readonly RuleWord[], argv: Argv): boolean {
  let at = 0;
  let afterOption = false;
  for (const word of argv.slice(1)) {
    if (word !== null && isOption(word)) {
      afterOption = true;
      continue;
    }
    const wanted = operands[at];
    if (wanted !== undefined && (word === null || wanted.text === word)) at += 1;
    else if (at < operands.length && !afterOption) return false;
    afterOption = false;
  }
  return at === operands.length;
}

function sameProgram(wanted: string, program: string): boolean {
  return programName(wanted).toLowerCase() === programName(program).toLowerCase();
}

function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith("-") && word !== "--";
}

/** Long names of the short options people deny most; an option in the rule is found in either spelling. */
const LONG_NAMES: ReadonlyMap<string, string> = new Map([
  ["r", "--recursive"],
  ["R", "--recursive"],
  ["f", "--force"],
  ["v", "--verbose"],
  ["a", "--all"],
  ["i", "--in-place"],
]);

function hasOption(argv: Argv, wanted: string): boolean {
  if (argv.includes(null)) return true;
  const given = argv.filter((word) => word !== null && isOption(word));
  if (given.includes(wanted)) return true;
  if (wanted.startsWith("--")) {
    const name = wanted.split("=", 1)[0] ?? wanted;
    const short = [...LONG_NAMES].filter(([, long]) => long === name).map(([letter]) => letter);
    return given.some((word) => word === name || word?.startsWith(`${name}=`) || bundles(word, short));
  }
  // Longer than a bundle is likely to be: one option with a long name, as find's `-delete`.
  if (wanted.length > 4) return false;
  return [...wanted.slice(1)].every((letter) =>
    given.some(
      (word) => bundles(word, letter === "r" ? ["r", "R"] : [letter]) || word === LONG_NAMES.get(letter),
    ),
  );
}

function bundles(word: string | null, letters: readonly string[]): boolean {
  return word !== null && !word.startsWith("--") && letters.some((letter) => word.includes(letter, 1));
}

function joined(argv: Argv): string {
  return argv.map((word) => word ?? UNKNOWN_WORD).join(BREAK);
}

/** Words with wildcards as one expression over the joined words; a last ` *` is also nothing. */
function wordsRegex({ words, prefix }: CommandPattern): RegExp {
  if (words.length === 0) return /^/s;
  const openEnd = words.length > 1 && words.at(-1)?.text === WILD;
  const fixed = openEnd ? words.slice(0, -1) : words;
  const source = fixed.map((word) => wordSource(word.text)).join(BREAK);
  const tail = openEnd || prefix ? `(?:${BREAK}.*)?` : "";
  return new RegExp(`^${source}${tail}$`, "s");
}

function wordSource(text: string): string {
  return text
    .split(WILD)
    .map((piece) => piece.replace(/[\\^$.|?*+(){}[\]/]/g, "\\$&"))
    .join(".*");
}
