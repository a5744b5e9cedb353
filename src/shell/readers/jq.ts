import { type Arg, mayBeOption } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { isOptionText, plainText, take, takeRest, type Words } from "./words.ts";

/** Judges a jq program: it can't write or start anything, but show the environment and take code from modules. */
export function readJq(run: Run, arg: Arg): void {
  const text = arg.value ?? arg.prefix;
  const code = codeOf(text);
  if (showsEnvironment(code)) unknown(run, arg, "shows the environment, which may hold secrets");
  else if (/(?<![.\w$])(?:import|include|modulemeta)\b/.test(code)) {
    unknown(run, arg, "takes code from a module");
  }
}

interface Scan {
  readonly text: string;
  at: number;
  code: string;
  inString: boolean;
  /** For each open parenthesis, whether it opened an interpolation. */
  readonly open: boolean[];
}

/** The program without comments and the text of strings, but with what strings interpolate. */
function codeOf(text: string): string {
  const scan: Scan = { text, at: 0, code: "", inString: false, open: [] };
  while (scan.at < text.length) {
    const char = text[scan.at] ?? "";
    scan.at += 1;
    if (scan.inString) scanString(scan, char);
    else scanCode(scan, char);
  }
  return scan.code;
}

function scanString(scan: Scan, char: string): void {
  if (char === '"') scan.inString = false;
  if (char !== "\\") return;
  const escaped = scan.text[scan.at];
  scan.at += 1;
  if (escaped !== "(") return;
  scan.open.push(true);
  scan.inString = false;
  scan.code += "(";
}

function scanCode(scan: Scan, char: string): void {
  if (char === "#") {
    const end = scan.text.indexOf("\n", scan.at);
    scan.at = end < 0 ? scan.text.length : end;
    return;
  }
  scan.code += char;
  if (char === '"') scan.inString = true;
  else if (char === "(") scan.open.push(false);
  else if (char === ")" && scan.open.pop() === true) scan.inString = true;
}

function showsEnvironment(code: string): boolean {
  if (/\$ENV\b|\$__prog/.test(code)) return true;
  for (const { index } of code.matchAll(/(?<![.\w$@])env\b/g)) {
    const before = code.slice(0, index).trimEnd().at(-1);
    const after = code.slice(index + 3).trimStart()[0];
    // In an object `{env}`, `{env: …}` and `{a, env}` are keys.
    const key = (before === "{" && /[,:}]/.test(after ?? "")) || (before === "," && /[:}]/.test(after ?? ""));
    if (!key) return true;
  }
  return false;
}

interface Command extends Words {
  readonly run: Run;
  readonly operands: Arg[];
  /** The program comes from a file. */
  fromFile: boolean;
  /** What is read is changed. */
  inPlace: boolean;
  /** What follows are values, not files. */
  values: boolean;
}

function begin(run: Run, args: readonly Arg[]): Command {
  return { run, args, at: 0, operands: [], fromFile: false, inPlace: false, values: false };
}

const JQ_FLAGS =
  /^--(?:compact-output|raw-output|raw-output0|join-output|ascii-output|slurp|null-input|exit-status|sort-keys|color-output|monochrome-output|tab|unbuffered|stream|stream-errors|seq|raw-input|help|version|build-configuration)$/;

/** Judges jq's words: `jq [options] program [file…]`. No option can hurt, so that a word may be unknown. */
export function readJqCommand(run: Run, args: readonly Arg[]): boolean {
  const command = begin(run, args);
  for (let arg = take(command); arg !== undefined; arg = take(command)) {
    const text = plainText(arg);
    if (text === "--") command.operands.push(...takeRest(command));
    else if (text !== null && isOptionText(text)) takeJqOption(command, arg, text);
    else command.operands.push(arg);
  }
  finish(command, readJq);
  return false;
}

function takeJqOption(command: Command, arg: Arg, text: string): void {
  if (/^--(?:args|jsonargs)$/.test(text)) command.values = true;
  else if (/^--(?:arg|argjson)$/.test(text)) command.at += 2;
  else if (/^--(?:slurpfile|rawfile|argfile)$/.test(text)) {
    take(command);
    const file = take(command);
    if (file !== undefined) emitPath(command.run, "read", file);
  } else if (text === "--indent") take(command);
  else if (text === "--from-file" || /^-[crjasneSCMRhV]*f[crjasneSCMRhV]*$/.test(text))
    command.fromFile = true;
  else if (!JQ_FLAGS.test(text) && !/^-[crjasneSCMRhV]+$/.test(text)) {
    unknown(command.run, arg, `${command.run.program}: option ${text} isn't known`);
  }
}

function finish(command: Command, judge: (run: Run, arg: Arg) => void): void {
  const { run, operands } = command;
  const [program, ...files] = operands;
  if (program === undefined) return;
  if (command.fromFile) unknown(run, program, "a program from a file, which may show the environment");
  else judge(run, program);
  if (command.values) return;
  for (const file of files) {
    if (file.value !== "-") emitPath(run, command.inPlace ? "write" : "read", file);
  }
}

const YQ_FLAGS =
  /^(?:-[rPjCMNeny0R]+|--(?:prettyPrint|tojson|colors|no-colors|no-doc|null-input|exit-status|raw-output|raw-input|unwrapScalar|yaml-output|nul-output|verbose|header-preprocess|string-interpolation|security-disable-env-ops|security-disable-file-ops)(?:=(?:true|false))?|-[opI]=?\w+|--(?:output-format|input-format|indent)=\w+)$/;
const YQ_TAKES_TEXT = /^(?:-[opI]|--(?:output-format|input-format|indent))$/;

/** Judges the words of either yq: one changes files with `-i` and splits them with `-s`, and has functions that load files. */
export function readYqCommand(run: Run, args: readonly Arg[]): boolean {
  const command = begin(run, args);
  const only = args.length === 1 ? args[0]?.value : undefined;
  if (typeof only === "string" && /^(?:--version|-V|--help|-h)$/.test(only)) return false;
  for (let arg = take(command); arg !== undefined; arg = take(command)) takeYqWord(command, arg);
  if (/^(?:e|ea|eval|eval-all)$/.test(command.operands[0]?.value ?? "")) command.operands.shift();
  finish(command, readYq);
  return false;
}

function takeYqWord(command: Command, arg: Arg): void {
  const text = plainText(arg);
  if (text === null) {
    if (mayBeOption(arg)) unknown(command.run, arg, `a word that may be an option of ${command.run.program}`);
    command.operands.push(arg);
  } else if (YQ_TAKES_TEXT.test(text)) take(command);
  else if (/^(?:-i|--inplace|--in-place)$/.test(text)) command.inPlace = true;
  else if (!isOptionText(text)) command.operands.push(arg);
  else if (!YQ_FLAGS.test(text))
    unknown(command.run, arg, `${command.run.program}: option ${text} isn't known`);
}

function readYq(run: Run, arg: Arg): void {
  const text = plainText(arg);
  if (text === null) unknown(run, arg, "a yq expression that isn't known");
  else if (BEYOND.test(codeOf(text)))
    unknown(run, arg, "a yq expression that takes the environment, a file or a program");
  else readJq(run, arg);
  // Alone it may be a file.
  if (text !== null && /^[\w./-]+\.(?:ya?ml|json|toml|xml|properties)$/.test(text))
    emitPath(run, "read", arg);
}

/** Operators of yq that reach beyond its input. */
const BEYOND = /(?<![.\w])(?:env|strenv|envsubst|load\w*|system|eval|shell|exec)\s*(?:\(|$|[|)\s])/;
