import fc from "fast-check";
import { decide } from "../../src/permission/engine.ts";
import { analyse, loadParser } from "../../src/shell/analyse.ts";
import { Bash } from "../../src/tools/bash.ts";
import { world } from "../permission-world.ts";
import { HOME, LINKS, PROJECT } from "./fixture.ts";
import { generate } from "./generate.ts";
import { Grammar } from "./grammar.ts";
import { TOKENS } from "./mutate.ts";
import { quote, quoteFancily } from "./quote.ts";
import { Random } from "./random.ts";
import type { Sandbox } from "./sandbox.ts";
import { FILES, TEXTS } from "./values.ts";
import type { Verb } from "./vocabulary.ts";

/** What laws are tried with. */
export interface LawOptions {
  readonly seed: number;
  /** How many cases each law gets. */
  readonly runs: number;
  readonly verbs: readonly Verb[];
  readonly sandbox: Sandbox;
}

/** A law that must hold for all commands, and how it went. */
export interface LawResult {
  readonly law: string;
  readonly cases: number;
  /** What broke it, in words; empty when nothing did. */
  readonly failures: readonly string[];
}

const BASH = new Bash();
const CONTEXT = world({ cwd: PROJECT, home: HOME, workingDirectories: [PROJECT], links: LINKS });

/** 0 allowed, 1 asked, 2 asked whatever rules say. */
async function strictness(command: string): Promise<number> {
  const { behavior, bypassImmune } = await decide(BASH, { command }, CONTEXT);
  if (behavior === "allow") return 0;
  return bypassImmune === true ? 2 : 1;
}

/** Tries every law. */
export async function tryLaws(options: LawOptions): Promise<readonly LawResult[]> {
  await loadParser();
  const results: LawResult[] = [];
  for (const law of [endsSoon, bashAgrees, strictestPart, redirects, wrappers, quoting]) {
    results.push(await law(options));
  }
  return results;
}

/** Longest work on a short command, and what each kilobyte adds, in time of the processor; the first time counts as warming up. */
const SHORT_MS = 50;
const PER_KB_MS = 5;

/** Never throws, whatever the text, and takes no longer than its size allows. */
async function endsSoon({ seed, runs }: LawOptions): Promise<LawResult> {
  const text = fc.oneof(
    fc.array(fc.constantFrom(...TOKENS), { maxLength: 60 }).map((parts) => parts.join(" ")),
    fc.array(fc.constantFrom(...TOKENS), { maxLength: 60 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary", maxLength: 200 }),
    fc
      .tuple(fc.constantFrom(...TOKENS), fc.integer({ min: 1, max: 20_000 }))
      .map(([part, count]) => part.repeat(count)),
    fc
      .tuple(
        fc.constantFrom("$(", "(", "{ ", "`", "${x:-", "[[ ( ", '"$(', "$((", "<("),
        fc.integer({ min: 1, max: 3000 }),
      )
      .map(([part, count]) => `echo ${part.repeat(count)}`),
  );
  const property = fc.asyncProperty(text, async (command) => {
    const limit = SHORT_MS + (command.length / 1024) * PER_KB_MS;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const start = process.cpuUsage();
      await strictness(command);
      const { user, system } = process.cpuUsage(start);
      if ((user + system) / 1000 <= limit) return;
    }
    throw new Error(`took more than ${limit.toFixed(0)} ms`);
  });
  const details = await fc.check(property, { seed, numRuns: runs });
  const failures = details.failed
    ? [`${JSON.stringify(details.counterexample?.[0]?.slice(0, 300))}: ${String(details.errorInstance)}`]
    : [];
  return { law: "never throws and ends in time", cases: details.numRuns, failures };
}

/** Nothing runs unasked that bash itself can't parse: then the two read it differently. */
async function bashAgrees({ seed, runs, verbs, sandbox }: LawOptions): Promise<LawResult> {
  const allowed: string[] = [];
  const broken = [...brokenTexts(seed, runs)];
  for (const command of [...generate(seed, runs, verbs), ...broken]) {
    if (!command.includes("\0") && command.isWellFormed() && (await strictness(command)) === 0)
      allowed.push(command);
  }
  const answers = await inBatches(
    sandbox,
    allowed.map((command) => ["/bin/bash", "-n", "-c", command]),
  );
  const failures = allowed
    .filter((_, index) => answers[index]?.status !== 0)
    .map((command) => JSON.stringify(command));
  return { law: "never allows what bash -n rejects", cases: runs + broken.length, failures };
}

function* brokenTexts(seed: number, count: number): Generator<string> {
  const random = new Random(seed);
  for (let made = 0; made < count; made += 1) {
    yield ["ls", ...random.some(TOKENS, 1, 6)].join(random.chance(0.7) ? " " : "");
  }
}

const JOINTS = [" && ", " || ", "; ", " | ", "\n", " & "] as const;

/** A compound is judged no milder than the strictest of its parts. */
async function strictestPart(options: LawOptions): Promise<LawResult> {
  return overSeeds("a compound is as strict as its strictest part", options, async (random, grammar) => {
    const parts = [plain(grammar), plain(grammar), plain(grammar)].slice(0, 2 + random.below(2));
    const whole = parts.reduce((text, part) => `${text}${random.pick(JOINTS)}${part}`);
    const strictest = Math.max(...(await Promise.all(parts.map(strictness))));
    if ((await strictness(whole)) < strictest) throw new Error(JSON.stringify(whole));
  });
}

const REDIRECTS = [
  " > pwned",
  " 2>/dev/null",
  " < notes.txt",
  " >> README.md",
  " 2>&1",
  " &> pwned",
  " <<< text",
  " <> pwned",
] as const;

/** One more redirection never makes a verdict milder. */
async function redirects(options: LawOptions): Promise<LawResult> {
  return overSeeds("a redirection never loosens", options, async (random, grammar) => {
    const command = plain(grammar);
    const more = `${command}${random.pick(REDIRECTS)}`;
    if ((await strictness(more)) < (await strictness(command))) throw new Error(JSON.stringify(more));
  });
}

const TRANSPARENT = [
  "timeout 5 ",
  "nice ",
  "env ",
  "command ",
  "stdbuf -oL ",
  "time ",
  "ionice -c3 ",
  "nice -n 3 timeout 2 ",
] as const;

/** Wrapping a program in one that only starts it changes nothing; neither does a shell of its own. */
async function wrappers(options: LawOptions): Promise<LawResult> {
  return overSeeds("a wrapper changes nothing", options, async (random, grammar) => {
    const command = plain(grammar);
    // What is no program of its own isn't what a wrapper would start.
    if (
      /^(?:\[|test|echo|printf|pwd|type|cd|time|command|env|true|false|:|kill|set|export|declare|read|alias|hash|help|exec|eval|let|wait|trap|source|\.|ulimit|umask|jobs|bg|fg|history|dirs|pushd|popd|shopt|enable|builtin|return|exit|unset|local|readonly|typeset|getopts|shift|times|mapfile|readarray|compgen|complete|compopt|caller|bind|logout|disown|suspend|unalias|break|continue|fc)\b|^\[|^\./.test(
        command,
      )
    )
      return;
    const whole = random.chance(0.3) ? `bash -c ${quote(command)}` : `${random.pick(TRANSPARENT)}${command}`;
    const [bare, wrapped] = [await strictness(command), await strictness(whole)];
    if (bare !== wrapped) throw new Error(`${JSON.stringify(whole)}: ${wrapped}, without: ${bare}`);
  });
}

/** The same words, quoted in other ways, get the same verdict. What bash makes of them is what counts. */
async function quoting({ seed, runs, verbs, sandbox }: LawOptions): Promise<LawResult> {
  const random = new Random(seed);
  const cases = Array.from({ length: runs }, () => {
    const argv = argumentVector(random, verbs);
    return {
      argv,
      shown: argv.map((word) => quote(word)),
      other: argv.map((word) => quoteFancily(random, word)),
    };
  });
  const questions = cases
    .flatMap(({ shown, other }) => [shown, other])
    .map((words) => ["/bin/bash", "-c", `printf '%s\\0' ${words.join(" ")}`]);
  const answers = await inBatches(sandbox, questions);
  const failures: string[] = [];
  for (const [index, { argv, shown, other }] of cases.entries()) {
    const expected = Buffer.from(`${argv.join("\0")}\0`).toString("latin1");
    const printed = [answers[index * 2], answers[index * 2 + 1]];
    if (printed.some((answer) => answer?.output !== expected)) {
      failures.push(`the generator is wrong: ${JSON.stringify(other.join(" "))}`);
    } else if ((await strictness(shown.join(" "))) !== (await strictness(other.join(" ")))) {
      failures.push(`${JSON.stringify(shown.join(" "))} and ${JSON.stringify(other.join(" "))}`);
    }
  }
  return { law: "quoting changes nothing", cases: runs, failures };
}

function argumentVector(random: Random, verbs: readonly Verb[]): string[] {
  // Quoted, a keyword is a program.
  const verb = random.pick(verbs.filter(({ words }) => !/^(?:time|coproc|\[\[)$/.test(words[0] ?? "")));
  const options = random.some(verb.options, 0, 3).map(({ name }) => name);
  return [...verb.words, ...options, ...random.some([...FILES, ...TEXTS], 0, 3)];
}

/** A command that parses, ends where it ends, and opens nothing that what follows would close. */
function plain(grammar: Grammar): string {
  for (;;) {
    const command = grammar.simple().trim();
    if (/[#\n\\~!]|<<|[&|;(){}]|^time\b|=/.test(command)) continue;
    if (analyse(command, { cwd: PROJECT, home: HOME }).errors.length === 0) return command;
  }
}

async function overSeeds(
  law: string,
  { seed, runs, verbs }: LawOptions,
  holds: (random: Random, grammar: Grammar) => Promise<void>,
): Promise<LawResult> {
  const failures: string[] = [];
  const property = fc.asyncProperty(fc.noShrink(fc.integer()), async (each) => {
    const random = new Random(each);
    try {
      await holds(random, new Grammar(random, verbs));
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  });
  const details = await fc.check(property, { seed, numRuns: runs });
  return { law, cases: details.numRuns, failures };
}

async function inBatches(
  sandbox: Sandbox,
  questions: readonly (readonly string[])[],
): ReturnType<Sandbox["ask"]> {
  const size = Math.max(1, Math.ceil(questions.length / 2));
  const halves = [questions.slice(0, size), questions.slice(size)];
  return (await Promise.all(halves.map((half) => (half.length === 0 ? [] : sandbox.ask(half, 5))))).flat();
}
