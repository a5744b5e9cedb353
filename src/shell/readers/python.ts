import type { Arg } from "../arg.ts";
import { literal } from "../arg.ts";
import { emitPath } from "../emit.ts";
import type { Run } from "../run.ts";
import { isOptionText, plainText, take, type Words } from "./words.ts";

const INFO: ReadonlySet<string> = new Set([
  "--version",
  "-V",
  "-VV",
  "--help",
  "-h",
  "-?",
  "--help-env",
  "--help-all",
]);
const PIP_FLAG =
  /^(?:-l|--local|--user|--not-required|-v|--verbose|-q|--quiet|-f|--files|--format(?:=\w+)?|columns|freeze|json|--disable-pip-version-check|--no-color)$/;

/** Python runs code, but for its version and a few modules that only read, or write what is known. */
export function readPython(run: Run, args: readonly Arg[]): boolean {
  const words = args.map((arg) => (arg.pattern || arg.many ? null : arg.value));
  const first = words[0];
  if (args.length === 1 && typeof first === "string" && INFO.has(first)) return false;
  if (first !== "-m") return true;
  const rest = args.slice(2);
  switch (words[1]) {
    case "json.tool":
      return !readJsonTool(run, rest);
    case "py_compile":
      return !readCompile(run, rest);
    case "pip":
      return !isPipQuery(words.slice(2));
    default:
      return true;
  }
}

const JSON_FLAG = /^--(?:sort-keys|json-lines|no-ensure-ascii|tab|no-indent|compact|indent=\d+)$/;

/** `json.tool [options] [input [output]]`. */
function readJsonTool(run: Run, args: readonly Arg[]): boolean {
  const words: Words = { args, at: 0 };
  const operands: Arg[] = [];
  for (let arg = take(words); arg !== undefined; arg = take(words)) {
    const text = plainText(arg);
    if (text === null) return false;
    if (text === "--indent") take(words);
    else if (!isOptionText(text)) operands.push(arg);
    else if (!JSON_FLAG.test(text)) return false;
  }
  const [input, output] = operands;
  if (operands.length > 2) return false;
  if (input !== undefined && input.value !== "-") emitPath(run, "read", input);
  if (output !== undefined && output.value !== "-") emitPath(run, "write", output);
  return true;
}

/** Compiling runs nothing; the result goes beside the source. */
function readCompile(run: Run, args: readonly Arg[]): boolean {
  const files = args.filter((arg) => arg.value !== "-q" && arg.value !== "--quiet");
  if (files.length === 0) return false;
  if (files.some((arg) => arg.value === null || arg.value.startsWith("-"))) return false;
  for (const file of files) {
    const cut = (file.value ?? "").lastIndexOf("/");
    emitPath(run, "read", file);
    emitPath(run, "write", literal(`${(file.value ?? "").slice(0, cut + 1)}__pycache__`, file.span));
  }
  return true;
}

function isPipQuery(words: readonly (string | null)[]): boolean {
  const [verb, ...rest] = words;
  if (verb === "--version" || verb === "-V") return rest.length === 0;
  if (verb === "check") return rest.length === 0;
  if (verb === "list" || verb === "freeze") return rest.every((word) => word !== null && PIP_FLAG.test(word));
  return (
    verb === "show" &&
    rest.every((word) => word !== null && (PIP_FLAG.test(word) || /^[A-Za-z0-9][\w.-]*$/.test(word)))
  );
}
