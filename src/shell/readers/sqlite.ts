import { type Arg, mayBeOption } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

const FLAGS =
  /^--?(?:readonly|safe|batch|bail|column|csv|html|json|line|list|markdown|table|box|quote|tabs|ascii|header|headers|noheader|stats|echo|nofollow|help|version)$/;
const TAKES_TEXT = /^--?(?:separator|newline|nullvalue|maxsize)$/;

/** Judges sqlite3's words: `sqlite3 [options] file [sql…]`, where SQL may also come from the standard input. */
export function readSqlite(run: Run, args: readonly Arg[]): boolean {
  const operands: Arg[] = [];
  let judged = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    if (arg === undefined) break;
    const word = arg.value;
    if (word === null || arg.pattern) {
      if (operands.length === 0 && mayBeOption(arg))
        unknown(run, arg, "a word that may be an option of sqlite3");
      operands.push(arg);
    } else if (word === "-cmd" || word === "--cmd") {
      at += 1;
      judged = true;
      judgeInput(run, args[at]?.value ?? null, args[at] ?? arg);
    } else if (TAKES_TEXT.test(word)) at += 1;
    else if (word.startsWith("-") && word.length > 1) {
      if (/^--?(?:help|version)$/.test(word)) return false;
      if (!FLAGS.test(word)) unknown(run, arg, `sqlite3: option ${word} isn't known`);
    } else operands.push(arg);
  }
  const [file, ...inputs] = operands;
  if (file !== undefined && file.value !== ":memory:" && file.value !== "") emitPath(run, "read", file);
  for (const input of inputs) judgeInput(run, input.value, input);
  if (inputs.length === 0) judgeStdin(run, judged);
  return false;
}

function judgeStdin(run: Run, judged: boolean): void {
  if (typeof run.stdin === "string") judgeInput(run, run.stdin, null);
  // Without any input there is nothing to run.
  else if (run.stdin === null || !judged) unknown(run, null, "sqlite3 runs statements that aren't known");
}

function judgeInput(run: Run, text: string | null, arg: Arg | null): void {
  if (text === null) unknown(run, arg, "sqlite3 runs statements that aren't known");
  else if (!isReadingInput(text))
    unknown(run, arg, "a statement that may change the database, a file or the system");
}

const DOT =
  /^\.(?:tables|schema|fullschema|indexes|indices|databases|dbinfo|dump|headers?|mode|width|nullvalue|separator|timeout|help|show|quit|exit|echo|print|stats|timer|bail|changes|eqp|explain|version|sha3sum)\b/;

function isReadingInput(text: string): boolean {
  const sql: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.trimStart().startsWith(".")) sql.push(line);
    else if (!DOT.test(line.trimStart())) return false;
  }
  return statements(sql.join("\n")).every(isReading);
}

/** Statements without comments, with texts and quoted names emptied. */
function statements(sql: string): string[] {
  return sql
    .replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (found) =>
      /^['"]/.test(found) ? "''" : " ",
    )
    .split(";")
    .map((statement) => statement.trim().toLowerCase())
    .filter((statement) => statement !== "");
}

/** Functions that write, load or read files. */
const BEYOND =
  /\b(?:writefile|readfile|edit|load_extension|fts3_tokenizer|lsdir|fsdir|zipfile|sqlar\w*|shell\w*|eval)\b/;
const PRAGMA =
  /^pragma\s+(?:\w+\.)?(?:(?:table_info|table_xinfo|index_list|index_info|index_xinfo|foreign_key_list|foreign_key_check|integrity_check|quick_check)(?:\s*\([^)]*\))?|database_list|table_list(?:\s*\([^)]*\))?|collation_list|function_list|module_list|pragma_list|compile_options|user_version|schema_version|application_id|page_count|page_size|freelist_count|encoding|journal_mode|auto_vacuum|cache_size|synchronous|foreign_keys)$/;

function isReading(statement: string): boolean {
  if (BEYOND.test(statement)) return false;
  const plain = statement.replace(/^explain\s+(?:query\s+plan\s+)?/, "");
  if (PRAGMA.test(plain)) return true;
  if (/^(?:select|values)\b/.test(plain)) return true;
  return /^with\b/.test(plain) && !/\b(?:insert|update|delete)\b|\breplace\s+into\b/.test(plain);
}
