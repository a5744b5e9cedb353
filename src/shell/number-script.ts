import type { Command, ParsedScript } from "unbash";

/** True for scripts that print nothing but one whole number (`wc -l < f`, `date +%s`), so that it can be counted with. */
export function isNumberScript(script: ParsedScript): boolean {
  const [statement, another] = script.commands;
  if (statement === undefined || another !== undefined) return false;
  const node = statement.command;
  const last = node.type === "Pipeline" ? node.commands.at(-1) : node;
  return last?.type === "Command" && printsNumber(last);
}

function printsNumber(command: Command): boolean {
  if (command.prefix.some((item) => item.type === "Assignment")) return false;
  const words = command.args.map((word) => word.text);
  const [only = "", ...others] = words;
  if (others.length > 0) return false;
  switch (command.name?.text) {
    case "wc":
      return /^-[lcmwL]$/.test(only);
    case "date":
      return /^\+%[sYmdHMSNj]$/.test(only);
    case "nproc":
      return only === "";
    case "id":
      return /^-[ug]$/.test(only);
    default:
      return false;
  }
}
