import type { Command, ParsedScript } from "unbash";

/** What a script prints: one whole number; several; one word that can't begin with `-` (a hash, a date); several; a line that
 * can't, but may have blanks in it; or anything. */
export type Output = "number" | "numbers" | "word" | "words" | "line" | "anything";

/** What is known of a script's output, from the last program in it. */
export function outputOf(script: ParsedScript): Output {
  const [statement, another] = script.commands;
  if (statement === undefined || another !== undefined) return "anything";
  const node = statement.command;
  const last = node.type === "Pipeline" ? node.commands.at(-1) : node;
  return last?.type === "Command" ? printedBy(last) : "anything";
}

/** Command lines by what they print; anything else in them, and it could be anything. */
const PRINTS: readonly (readonly [Output, RegExp])[] = [
  ["number", /^wc -[lcmwL]$/],
  ["number", /^date \+%[sYmdHMSNj]$/],
  ["number", /^(?:nproc|id -[ug])$/],
  ["numbers", /^seq(?: \d{1,9}){1,3}$/],
  ["number", /^git rev-list --count [A-Za-z][\w./~^@]*$/],
  // One file or none: with several it prints their names as well.
  [
    "number",
    /^grep -(?:c|[EFGPiwvx]+c|c[EFGPiwvx]+) (?:'[^'-][^']*'|"[^"$`\\-][^"$`\\]*"|[\w.^][\w.^=:]*)(?: [\w./][\w./-]*)?$/,
  ],
  ["word", /^date \+%[YmdHMSjFTs](?:[-_:.]?%[YmdHMSjFTs])*$/],
  ["word", /^git rev-parse(?: --short| --verify)? (?:HEAD|FETCH_HEAD|@)(?:[~^]\d*)*$/],
  ["word", /^git merge-base(?: [A-Za-z][\w./~^@]*){2}$/],
  ["line", /^(?:pwd(?: -[LP])?|git rev-parse --show-toplevel|(?:which|command -v|type -P) [\w.+][\w.+-]*)$/],
  ["word", /^(?:whoami|hostname|uname(?: -[smrn])?)$/],
  [
    "words",
    /^git rev-list(?: (?:-\d+|-n ?\d+|--(?:max-count|skip)=\d+|--all|--reverse|--(?:no-)?merges|--first-parent))*(?: [A-Za-z][\w./~^@-]*)?$/,
  ],
  [
    "words",
    /^git log(?: (?:-\d+|-n ?\d+|--reverse|--(?:no-)?merges))* --(?:format|pretty)=(?:format:)?(?:%[hH]|'%[hH]'|"%[hH]")(?: (?:-\d+|-n ?\d+|--reverse|[A-Za-z][\w./~^@-]*))*$/,
  ],
];

function printedBy(command: Command): Output {
  if (command.prefix.some((item) => item.type === "Assignment") || command.name === undefined)
    return "anything";
  const line = [command.name, ...command.args].map((word) => word.text).join(" ");
  return PRINTS.find(([, pattern]) => pattern.test(line))?.[0] ?? "anything";
}
