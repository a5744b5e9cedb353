import { kindOf } from "../../lib/json-input.ts";
import type { InputIssue, ToolInput } from "../../tool.ts";

/** Entries that are asked for at a time, at most. */
export const MOST_ENTRIES = 1000;

/** What a model is told of. */
const ACTIONS = ["write", "search", "read", "update", "delete"] as const;
/** What is for programs besides: how much there is, the whole file, and another file in its place. */
const FOR_PROGRAMS = ["stats", "export", "replace"] as const;
/** All that can be done. */
export type MemoryAction = (typeof ACTIONS)[number] | (typeof FOR_PROGRAMS)[number];

type Kind = "text" | "day" | "line" | "count" | readonly string[];

const FIELDS: Readonly<Record<string, Kind>> = {
  action: [...ACTIONS, ...FOR_PROGRAMS],
  content: "text",
  keywords: "text",
  max_results: "count",
  match_mode: ["or", "and"],
  start_line: "line",
  end_line: "line",
  recent_count: "count",
  source: "text",
  date_from: "day",
  date_to: "day",
  version: "text",
};

/** What is wrong with an input's members, each by itself. */
export function fieldIssues(input: ToolInput): readonly InputIssue[] {
  return Object.entries(input).flatMap(([path, value]) => {
    const kind = Object.hasOwn(FIELDS, path) ? FIELDS[path] : undefined;
    if (kind === undefined) {
      const names = Object.keys(FIELDS).slice(0, -1).join(", ");
      return [{ path, message: `isn't known; there are ${names}` }];
    }
    const expected = fits(kind, value) ? undefined : expectation(path, kind);
    return expected === undefined ? [] : [{ path, message: `expected ${expected}, got ${kindOf(value)}` }];
  });
}

function fits(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "day":
      return typeof value === "string" && isDay(value);
    case "line":
      return Number.isSafeInteger(value) && Number(value) >= 1;
    case "count":
      return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_ENTRIES;
    default:
      return kind.some((name) => name === value);
  }
}

/** A day that there is. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function expectation(path: string, kind: Kind): string {
  switch (kind) {
    case "text":
      return "a text";
    case "day":
      return "a day as YYYY-MM-DD";
    case "line":
      return "a line's number, from 1";
    case "count":
      return `a whole number from 1 to ${MOST_ENTRIES}`;
    default:
      return `one of ${(path === "action" ? ACTIONS : kind).join(", ")}`;
  }
}
