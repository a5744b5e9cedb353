import { ToolgateError } from "../../errors.ts";
import type { ToolInput } from "../../tool.ts";
import { kernelDirectories, VCS_DIRECTORIES } from "./ripgrep.ts";
import type { SearchRoot } from "./search-path.ts";

/** What a Grep call answers. */
type GrepMode = "content" | "files_with_matches" | "count";

/** A Grep call, made whole. */
export interface GrepRequest {
  readonly pattern: string;
  readonly mode: GrepMode;
  readonly globs: readonly string[];
  readonly type: string | undefined;
  readonly before: number;
  readonly after: number;
  readonly lineNumbers: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly noIgnore: boolean;
  /** Lines of the answer; 0 for as many as fit. */
  readonly limit: number;
  readonly offset: number;
}

const DEFAULT_LIMIT = 250;
/** Characters of a line that are shown. */
const MAX_COLUMNS = 500;
/** Matches in one file, more than the largest answer holds. */
const MAX_LINES = 1_000_000;

/** Reads a call's input. @throws ToolgateError `invalid_input` */
export function grepRequest(input: ToolInput): GrepRequest {
  const mode = text(input, "output_mode");
  const around = count(input, "context") ?? count(input, "-C");
  const pattern = text(input, "pattern") ?? "";
  if (pattern === "")
    throw new ToolgateError("invalid_input", "pattern is empty: it would match every line.");
  return {
    pattern,
    mode: mode === "content" || mode === "count" ? mode : "files_with_matches",
    globs: splitGlobs(text(input, "glob") ?? ""),
    type: text(input, "type") || undefined,
    before: around ?? count(input, "-B") ?? 0,
    after: around ?? count(input, "-A") ?? 0,
    lineNumbers: (input["-n"] ?? input.n ?? true) !== false,
    ignoreCase: [input["-i"], input.i, input.case_insensitive].includes(true),
    multiline: input.multiline === true,
    noIgnore: input.no_ignore === true,
    limit: count(input, "head_limit") ?? DEFAULT_LIMIT,
    offset: count(input, "offset") ?? 0,
  };
}

function text(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  if (typeof value !== "string") return undefined;
  if (value.includes("\0")) throw new ToolgateError("invalid_input", `${name} holds a NUL character.`);
  return value;
}

function count(input: ToolInput, name: string): number | undefined {
  const value = input[name];
  return typeof value === "number" ? Math.max(0, Math.trunc(value)) : undefined;
}

/** Globs apart at blanks, and at commas that aren't inside braces. */
function splitGlobs(given: string): readonly string[] {
  return given
    .split(/\s+/)
    .flatMap((part) => (part.includes("{") ? [part] : part.split(",")))
    .filter((part) => part !== "");
}

/** ripgrep's arguments. No value of the input can become an option: each is bound to one, and paths stand behind `--`. */
export function grepArguments(request: GrepRequest, root: SearchRoot): readonly string[] {
  const { type } = request;
  return [
    "--hidden",
    "--color=never",
    "--no-heading",
    "--with-filename",
    ...(request.noIgnore ? ["--no-ignore"] : []),
    ...(request.ignoreCase ? ["--ignore-case"] : []),
    ...(request.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...request.globs.map((glob) => `--glob=${glob}`),
    ...exclusions(root),
    ...modeArguments(request),
    `--regexp=${request.pattern}`,
    "--",
    root.operand,
  ];
}

/** Leaves version-control directories out, below the root: a path that leads into one is searched. */
export function exclusions(root: SearchRoot): readonly string[] {
  const names = root.isDirectory ? [...VCS_DIRECTORIES, ...kernelDirectories(root)] : [];
  return names.map((name) => `--glob=!${name}`);
}

function modeArguments(request: GrepRequest): readonly string[] {
  if (request.mode === "files_with_matches") return ["--files-with-matches"];
  if (request.mode === "count") return ["--count", "--null"];
  return [
    "--null",
    `--max-columns=${MAX_COLUMNS}`,
    // ripgrep holds a file's results back until it has read all of it.
    `--max-count=${MAX_LINES}`,
    "--max-columns-preview",
    request.lineNumbers ? "--line-number" : "--no-line-number",
    ...(request.before > 0 ? [`--before-context=${request.before}`] : []),
    ...(request.after > 0 ? [`--after-context=${request.after}`] : []),
  ];
}
