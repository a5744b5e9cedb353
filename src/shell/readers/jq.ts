import { type Arg, mayBeOption } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** Judges a jq program: it can't write or start anything, but show the environment and take code from modules. */
export function readJq(run: Run, arg: Arg): void {
  const text = arg.value ?? arg.prefix;
  // Strings are data, unless they hold an interpolation.
  const code = text.replace(/"(?:[^"\\]|\\[^(])*"/g, '""').replace(/#.*/g, "");
  if (showsEnvironment(code)) unknown(run, arg, "shows the environment, which may hold secrets");
  else if (/(?<![.\w$])(?:import|include|modulemeta)\b/.test(code)) {
    unknown(run, arg, "takes code from a module");
  }
}

function showsEnvironment(code: string): boolean {
  if (/\$ENV\b|\$__prog|(?<![.\w$])getpath\s*\(\s*\$/.test(code)) return true;
  for (const { index } of code.matchAll(/(?<![.\w$@])env\b/g)) {
    const before = code.slice(0, index).trimEnd().at(-1);
    const after = code.slice(index + 3).trimStart()[0];
    // In an object `{env}`, `{env: …}` and `{a, env}` are keys.
    const key = (before === "{" && /[,:}]/.test(after ?? "")) || (before === "," && /[:}]/.test(after ?? ""));
    if (!key) return true;
  }
  return false;
}

interface Command {
  readonly run: Run;
  readonly args: readonly Arg[];
  /** Where the reading of words is. */
  at: number;
  readonly operands: Arg[];
  /** The program comes from a file. */
  fromFile: boolean;
  /** What follows are values, not files. */
  values: boolean;
}

const JQ_FLAGS =
  /^--(?:compact-output|raw-output|raw-output0|join-output|ascii-output|slurp|null-input|exit-status|sort-keys|color-output|monochrome-output|tab|unbuffered|stream|stream-errors|seq|raw-input|help|version|build-configuration)$/;

/** Judges jq's words: `jq [options] program [file…]`. */
export function readJqCommand(run: Run, args: readonly Arg[]): boolean {
  const command: Command = { run, args, at: 0, operands: [], fromFile: false, values: false };
  while (command.at < args.length) {
    const arg = args[command.at];
    command.at += 1;
    if (arg === undefined) break;
    const word = arg.value;
    if (word === "--") {
      command.operands.push(...args.slice(command.at));
      break;
    }
    if (word !== null && !arg.pattern && word.startsWith("-") && word.length > 1)
      takeJqOption(command, arg, word);
    else command.operands.push(arg);
  }
  finish(command, readJq);
  return false;
}

function takeJqOption(command: Command, arg: Arg, word: string): void {
  if (word === "--args" || word === "--jsonargs") command.values = true;
  else if (word === "--arg" || word === "--argjson") command.at += 2;
  else if (word === "--slurpfile" || word === "--rawfile" || word === "--argfile") {
    const file = command.args[command.at + 1];
    command.at += 2;
    if (file !== undefined) emitPath(command.run, "read", file);
  } else if (word === "--indent") command.at += 1;
  else if (word === "--from-file") command.fromFile = true;
  else if (/^-[crjasneSCMRhVf]+$/.test(word)) command.fromFile ||= word.includes("f");
  else if (!JQ_FLAGS.test(word))
    unknown(command.run, arg, `${command.run.program}: option ${word} isn't known`);
}

function finish(command: Command, judge: (run: Run, arg: Arg) => void): void {
  const { run, operands } = command;
  const [program, ...files] = operands;
  if (program === undefined) return;
  if (command.fromFile) unknown(run, program, "a program from a file, which may show the environment");
  else judge(run, program);
  if (command.values) return;
  for (const file of files) if (file.value !== "-") emitPath(run, "read", file);
}

const YQ_FLAGS =
  /^(?:-[rPjCMNeny0R]+|--(?:prettyPrint|tojson|colors|no-colors|no-doc|null-input|exit-status|raw-output|raw-input|unwrapScalar|yaml-output|nul-output|verbose|header-preprocess|string-interpolation|security-disable-env-ops|security-disable-file-ops)(?:=(?:true|false))?|-[opI]=?\w+|--(?:output-format|input-format|indent)=\w+)$/;

/** Judges the words of either yq: one changes files with `-i` and splits them with `-s`, and has functions that load files. */
export function readYqCommand(run: Run, args: readonly Arg[]): boolean {
  const command: Command = { run, args, at: 0, operands: [], fromFile: false, values: false };
  while (command.at < args.length) {
    const arg = args[command.at];
    command.at += 1;
    if (arg === undefined) break;
    const word = arg.value;
    if (word === null || arg.pattern) {
      if (mayBeOption(arg)) unknown(run, arg, `a word that may be an option of ${run.program}`);
      command.operands.push(arg);
    } else if (/^(?:-[opI]|--(?:output-format|input-format|indent))$/.test(word)) command.at += 1;
    else if (word.startsWith("-") && word.length > 1) takeYqOption(command, arg, word);
    else command.operands.push(arg);
  }
  const verb = command.operands[0]?.value;
  if (verb === "e" || verb === "ea" || verb === "eval" || verb === "eval-all") command.operands.shift();
  finish(command, readYq);
  return false;
}

function takeYqOption(command: Command, arg: Arg, word: string): void {
  const info = command.args.length === 1 && /^(?:--version|-V|--help|-h)$/.test(word);
  if (!info && !YQ_FLAGS.test(word)) {
    unknown(command.run, arg, `${command.run.program}: option ${word} isn't known`);
  }
}

function readYq(run: Run, arg: Arg): void {
  if (arg.value === null) return unknown(run, arg, "a yq expression that isn't known");
  const code = arg.value.replace(/"(?:[^"\\]|\\[^(])*"/g, '""');
  if (/(?<![.\w])(?:env|strenv|envsubst|load\w*|system|eval|shell|exec)\s*(?:\(|$|[|)\s])/.test(code)) {
    unknown(run, arg, "a yq expression that takes the environment, a file or a program");
  } else readJq(run, arg);
  // Alone it may be a file.
  if (/^[\w./-]+\.(?:ya?ml|json|toml|xml|properties)$/.test(arg.value)) emitPath(run, "read", arg);
}
