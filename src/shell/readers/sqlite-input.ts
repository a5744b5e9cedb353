/** Commands of the sqlite3 program that only print or choose how to print. */
const DOT =
  /^\.(?:tables|schema|fullschema|indexes|indices|databases|dbinfo|dump|headers?|mode|width|nullvalue|separator|timeout|help|show|quit|exit|echo|print|stats|timer|bail|changes|eqp|explain|version|sha3sum)\b/;
/** Functions that write, load or read files. */
const BEYOND =
  /\b(?:writefile|readfile|edit|load_extension|fts3_tokenizer|lsdir|fsdir|zipfile|sqlar\w*|shell\w*|eval)\b/;
const TABLE_PRAGMA =
  /^pragma\s+(?:\w+\.)?(?:table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|foreign_key_list|foreign_key_check|integrity_check|quick_check)(?:\s*\([^)]*\))?$/;
const PLAIN_PRAGMA =
  /^pragma\s+(?:\w+\.)?(?:database_list|collation_list|function_list|module_list|pragma_list|compile_options|user_version|schema_version|application_id|page_count|page_size|freelist_count|encoding|journal_mode|auto_vacuum|cache_size|synchronous|foreign_keys)$/;

/** Whether every statement and every dot command only reads the database that is open. */
export function isReadingInput(text: string): boolean {
  const sql: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.trimStart().startsWith(".")) sql.push(line);
    else if (!DOT.test(line.trimStart())) return false;
  }
  return statements(sql.join("\n")).every(isReading);
}

/** Statements without comments, with texts and quoted names emptied. */
function statements(sql: string): string[] {
  const bare = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (found) =>
    /^['"]/.test(found) ? "''" : " ",
  );
  return bare
    .split(";")
    .map((statement) => statement.trim().toLowerCase())
    .filter((statement) => statement !== "");
}

function isReading(statement: string): boolean {
  // A quoted name before a parenthesis is a function that can't be seen here.
  if (BEYOND.test(statement) || /''\s*\(/.test(statement)) return false;
  const plain = statement.replace(/^explain\s+(?:query\s+plan\s+)?/, "");
  if (TABLE_PRAGMA.test(plain) || PLAIN_PRAGMA.test(plain) || /^(?:select|values)\b/.test(plain)) return true;
  return /^with\b/.test(plain) && !/\b(?:insert|update|delete)\b|\breplace\s+into\b/.test(plain);
}
