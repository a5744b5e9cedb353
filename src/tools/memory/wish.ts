import { ToolgateError } from "../../errors.ts";
import type { MemoryQuery } from "../../memory/query.ts";
import type { InputIssue, ToolInput } from "../../tool.ts";
import { fieldIssues, type MemoryAction } from "./fields.ts";

/** Lines of a file, from 1, both included. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** What a call wants. */
export type Wish =
  | { readonly action: "write"; readonly content: string }
  | { readonly action: "search"; readonly query: MemoryQuery; readonly most: number }
  | { readonly action: "read"; readonly count: number; readonly lines: Lines | undefined }
  | { readonly action: "update"; readonly line: number; readonly content: string }
  | { readonly action: "delete"; readonly lines: Lines }
  | { readonly action: "stats" | "export" }
  | { readonly action: "replace"; readonly content: string; readonly version: string | undefined };

/** Lines that are read, or emptied, at a time. */
const MOST_LINES = 1000;

/** What an action can't do without. */
const NEEDED: Readonly<Partial<Record<MemoryAction, readonly string[]>>> = {
  write: ["content"],
  update: ["start_line", "content"],
  delete: ["start_line"],
  replace: ["content"],
};

/** What is wrong with an input; nothing when it can be read. */
export function wishIssues(given: ToolInput): readonly InputIssue[] {
  const input = withoutNulls(given);
  if (input.action === undefined) return [{ path: "action", message: "is missing" }];
  const issues = fieldIssues(input);
  if (issues.length > 0) return issues;
  const action = String(input.action);
  const needed = Object.entries(NEEDED).find(([name]) => name === action)?.[1] ?? [];
  const missing = needed.filter((name) => input[name] === undefined);
  if (missing.length > 0) return missing.map((path) => ({ path, message: `is missing; ${action} needs it` }));
  if ((action === "write" || action === "update") && String(input.content).trim() === "") {
    return [{ path: "content", message: "is blank; there is nothing to remember" }];
  }
  return [...lineIssues(input), ...(action === "search" ? searchIssues(input) : [])];
}

/** Reads an input. @throws ToolgateError `invalid_input` for one that has issues */
export function readWish(given: ToolInput): Wish {
  const [issue] = wishIssues(given);
  if (issue !== undefined) throw new ToolgateError("invalid_input", `\`${issue.path}\` ${issue.message}.`);
  const input = withoutNulls(given);
  // Checked above: it is one of them.
  const action = String(input.action) as MemoryAction;
  const content = text(input.content) ?? "";
  switch (action) {
    case "write":
      return { action, content };
    case "search":
      return { action, query: queryOf(input), most: Number(input.max_results ?? 15) };
    case "read":
      return { action, count: Number(input.recent_count ?? 10), lines: linesOf(input) };
    case "update":
      return { action, line: Number(input.start_line), content };
    case "delete":
      return { action, lines: linesOf(input) ?? { first: 1, last: 1 } };
    case "replace":
      return { action, content, version: text(input.version) };
    default:
      return { action };
  }
}

/** What a model leaves out by saying nothing of it. */
function withoutNulls(input: ToolInput): ToolInput {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function linesOf(input: ToolInput): Lines | undefined {
  if (input.start_line === undefined) return undefined;
  const first = Number(input.start_line);
  return { first, last: Number(input.end_line ?? first) };
}

function queryOf(input: ToolInput): MemoryQuery {
  return {
    keywords: text(input.keywords) ?? "",
    mode: input.match_mode === "and" ? "and" : "or",
    source: text(input.source),
    from: text(input.date_from),
    to: text(input.date_to),
  };
}

function lineIssues(input: ToolInput): readonly InputIssue[] {
  const lines = linesOf(input);
  if (lines === undefined) {
    if (input.end_line === undefined) return [];
    return [{ path: "end_line", message: "needs start_line" }];
  }
  if (lines.last < lines.first) return [{ path: "end_line", message: "is before start_line" }];
  if (lines.last - lines.first < MOST_LINES) return [];
  return [{ path: "end_line", message: `is too far from start_line: ${MOST_LINES} lines at a time` }];
}

function searchIssues(input: ToolInput): readonly InputIssue[] {
  const { keywords = "", mode: _, source, from, to } = queryOf(input);
  if (from !== undefined && to !== undefined && to < from) {
    return [{ path: "date_to", message: "is before date_from" }];
  }
  const isOpen = keywords.trim() === "" && source === undefined && from === undefined && to === undefined;
  if (!isOpen) return [];
  return [{ path: "keywords", message: "is missing; search needs words, or a source or a date" }];
}
