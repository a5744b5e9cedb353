import { type Arg, mayBeOption } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { isReadingInput } from "./sqlite-input.ts";
import { isOptionText, plainText, take, type Words } from "./words.ts";

interface Command extends Words {
  readonly run: Run;
  readonly operands: Arg[];
  /** Something to run was given by an option. */
  given: boolean;
}

const FLAGS =
  /^--?(?:readonly|safe|batch|bail|column|csv|html|json|line|list|markdown|table|box|quote|tabs|ascii|header|headers|noheader|stats|echo|nofollow)$/;
const TAKES_TEXT = /^--?(?:separator|newline|nullvalue|maxsize)$/;

/** Judges sqlite3's words: `sqlite3 [options] file [sql…]`, where SQL may also come from the standard input. */
export function readSqlite(run: Run, args: readonly Arg[]): boolean {
  if (args.length === 1 && /^--?(?:help|version)$/.test(args[0]?.value ?? "")) return false;
  const command: Command = { run, args, at: 0, operands: [], given: false };
  for (let arg = take(command); arg !== undefined; arg = take(command)) takeWord(command, arg);
  const [file, ...inputs] = command.operands;
  if (file !== undefined && file.value !== ":memory:" && file.value !== "") emitPath(run, "read", file);
  for (const input of inputs) judge(run, input.value, input);
  if (inputs.length === 0) judgeStdin(command);
  return false;
}

function takeWord(command: Command, arg: Arg): void {
  const text = plainText(arg);
  if (text === null) {
    if (mayBeOption(arg)) unknown(command.run, arg, "a word that may be an option of sqlite3");
    command.operands.push(arg);
  } else if (isOptionText(text)) takeOption(command, arg, text);
  else command.operands.push(arg);
}

function takeOption(command: Command, arg: Arg, text: string): void {
  if (/^--?cmd$/.test(text)) {
    const code = take(command);
    command.given = true;
    judge(command.run, code?.value ?? null, code ?? arg);
  } else if (TAKES_TEXT.test(text)) take(command);
  else if (!FLAGS.test(text)) unknown(command.run, arg, `sqlite3: option ${text} isn't known`);
}

function judgeStdin({ run, given }: Command): void {
  if (typeof run.stdin === "string") judge(run, run.stdin, null);
  // Without any input there is nothing to run.
  else if (run.stdin === null || !given) unknown(run, null, "sqlite3 runs statements that aren't known");
}

function judge(run: Run, text: string | null, arg: Arg | null): void {
  if (text === null) unknown(run, arg, "sqlite3 runs statements that aren't known");
  else if (!isReadingInput(text)) {
    unknown(run, arg, "a statement that may change the database, a file or the system");
  }
}
