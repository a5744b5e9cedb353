import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { SyntaxNode } from "unbash";
import { beforeAll, describe, expect, it } from "vitest";
import { isHarmless } from "../effect.ts";
import { analyse, loadParser } from "./analyse.ts";
import { parser } from "./parser.ts";
import { summarise } from "./summary.ts";

const options = { cwd: "/work/repo", home: "/home/u" };
const file = join(import.meta.dirname, "../../test/corpus/shell.json");
const corpus: readonly { readonly command: string }[] = JSON.parse(readFileSync(file, "utf8"));
const commands = corpus.map(({ command }) => command);

const PLANTED = "$(touch planted)";
const LEVELS = ["harmless", "asks", "immune"] as const;

/** How strict the effects are: 0 nothing to ask, 1 something, 2 something no rule may silence. */
function strictness(command: string): number {
  const { effects } = analyse(command, options);
  if (effects.some((effect) => effect.danger !== undefined)) return 2;
  return effects.every(isHarmless) ? 0 : 1;
}

function shown(command: string): string {
  return summarise(analyse(command, options).effects, options.cwd);
}

/** Pieces that shells care about, to be put together at random. */
const pieces = fc.constantFrom(
  ..."; & | && || ( ) { } < > >> << $( ` ' \" $ ${ } [[ ]] (( )) # \\ \n ! = * ? [ ] ~ - -- $@ $x ${x} <<E".split(
    " ",
  ),
  ..."ls cat rm find git sed awk if then fi for do done while case esac in function eval bash -c a b.txt".split(
    " ",
  ),
);
const soup = fc.array(pieces, { maxLength: 30 }).map((all) => all.join(" "));
const fromCorpus = fc.constantFrom(...commands);
const mutated = fc.tuple(fromCorpus, fc.nat(), fc.nat(3), pieces).map(([command, at, cut, piece]) => {
  const place = at % (command.length + 1);
  return command.slice(0, place) + piece + command.slice(place + cut);
});

/** Constructs in which substitutions can stand. */
const SHAPES = [
  "ls @(a|b) {a,b} [ab] ${x:-a} ${x//a/b} ${x:1:2} ${a[1]} ${x^^a} ${x@Q}",
  'echo "$((1+a[2]))" $[1] "${x:=y}" $"z"',
  "case a in b|c) ls;; esac; for x in a b; do ls; done; select y in c; do ls; done",
  "for ((i=0; i<3; i++)); do ls; done; while [ a ]; do break; done; until b; do c; done",
  "[[ a == b && -f c || d =~ e && f -eq 1 ]]; (( x = 1 )); test -n a",
  "a=(b [1]=c); a[1]=d; declare -a e=(f); export g=h; local i; x=1 ls",
  "cat <<E > f\na b\nE\ncat <<< c 2> d < e",
  "f() { ls a; } > b; coproc cat c; { ls; } < d; (ls) | sort <(ls e) >(cat)",
  "if a; then b; elif c; then d; else e; fi; ! f; time g",
] as const;

/** Words that mean the same in other quotes. */
const simple = fc.constantFrom(
  "rm -rf x",
  "cat a.txt",
  "sort -o out in",
  "find . -name x -delete",
  "git log -3",
  "sed -i s/a/b/ f",
  "tee out",
  "uniq a b",
  "touch x",
  "ls src",
);
const quoted = fc
  .tuple(simple, fc.array(fc.nat(4), { minLength: 8, maxLength: 8 }))
  .map(([command, ways]) => ({
    command,
    other: command
      .split(" ")
      .map((word, at) => quote(word, ways[at % ways.length] ?? 0))
      .join(" "),
  }));

function quote(word: string, way: number): string {
  if (way === 1) return `'${word}'`;
  if (way === 2) return `"${word}"`;
  if (way === 3) return `\\${word}`;
  if (way === 4) return `$'\\x${word.charCodeAt(0).toString(16)}'${word.slice(1)}`;
  return word;
}

/** True when the parser finds the planted substitution anywhere in the tree. */
function isPlanted(command: string): boolean {
  const tools = parser();
  let found = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "CommandExpansion" && node.text === PLANTED) found = true;
    if (node.type === "ArithmeticCommandExpansion" && node.text === PLANTED) found = true;
    tools?.forEachChild(node, visit);
  };
  const script = tools?.parse(command);
  if (script !== undefined) visit(script);
  return found;
}

describe("whatever the command", () => {
  beforeAll(loadParser);
  const runs = { numRuns: 400 };

  it("an analysis never throws, and text that can't be read is never harmless", () => {
    fc.assert(
      fc.property(fc.oneof(soup, mutated, fc.string({ maxLength: 200 })), (command) => {
        const { effects, errors } = analyse(command, options);
        if (errors.length > 0) expect(effects.every(isHarmless)).toBe(false);
      }),
      { numRuns: 1500 },
    );
  });

  it("a substitution is judged wherever it stands", () => {
    const places = fc.tuple(fc.oneof(fromCorpus, fc.constantFrom(...SHAPES)), fc.nat());
    fc.assert(
      fc.property(places, ([command, at]) => {
        const place = at % (command.length + 1);
        const planted = command.slice(0, place) + PLANTED + command.slice(place);
        if (!isPlanted(planted)) return;
        const readable = analyse(planted, options).errors.length === 0;
        expect(strictness(planted), planted).toBeGreaterThanOrEqual(readable ? 2 : 1);
      }),
      { numRuns: Number(process.env.TOOLGATE_FUZZ_RUNS ?? 3000) },
    );
  });

  it("quoting that means the same gives the same effects", () => {
    fc.assert(
      fc.property(quoted, ({ command, other }) => {
        expect(shown(other), other).toBe(shown(command));
      }),
      runs,
    );
  });

  it("a compound is at least as strict as its strictest part", () => {
    const joins = fc.constantFrom("; ", " && ", " || ", "\n", " & ");
    // A function of a program's name takes its place in what follows, which is then another command.
    const whole = fromCorpus.filter(
      (command) =>
        analyse(command, options).errors.length === 0 && !/<<|#|\\$|\w\s*\(\)|\bfunction\b/.test(command),
    );
    fc.assert(
      fc.property(whole, joins, whole, (left, between, right) => {
        const parts = Math.max(strictness(left), strictness(right));
        const compound = `${left}${between}${right}`;
        expect(LEVELS[strictness(compound)], compound).toBe(LEVELS[Math.max(parts, strictness(compound))]);
        expect(strictness(compound), compound).toBeGreaterThanOrEqual(parts);
      }),
      runs,
    );
  });

  it("a wrapper never makes a command less strict", () => {
    const wraps = fc.constantFrom<(command: string) => string>(
      (command) => `timeout 5 ${command}`,
      (command) => `env ${command}`,
      (command) => `nice -n 5 ${command}`,
      (command) => `command ${command}`,
      (command) => `bash -c '${command}'`,
      (command) => `eval "${command}"`,
      (command) => `(${command})`,
      (command) => `{ ${command}; }`,
      (command) => `if true; then ${command}; fi`,
      (command) => `for i in 1 2; do ${command}; done`,
      (command) => `f() { ${command}; }; f`,
      (command) => `echo "$(${command})"`,
      (command) => `! ${command}`,
    );
    fc.assert(
      fc.property(simple, wraps, (command, wrap) => {
        expect(strictness(wrap(command)), wrap(command)).toBeGreaterThanOrEqual(strictness(command));
      }),
      runs,
    );
  });
});
