import type { Readable } from "node:stream";
import type { PermissionDecision } from "../../decision.ts";
import type { Effect } from "../../effect.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { write } from "../output.ts";

/** Judges one call without running it. */
export type Judge = (tool: string, input: JsonObject) => Promise<PermissionDecision>;

/** The stable form of a decision: `explain --batch` writes one a line, `explain --json` gives it among others. */
export interface Verdict {
  readonly decision: PermissionDecision["behavior"];
  readonly bypassImmune: boolean;
  readonly readOnly: boolean;
  readonly reason: string;
  readonly effects: readonly Effect[];
  /** In rule text. */
  readonly suggestions: readonly string[];
}

/** A decision in its stable form. */
export function verdictOf(decision: PermissionDecision): Verdict {
  return {
    decision: decision.behavior,
    bypassImmune: decision.bypassImmune === true,
    readOnly: decision.readOnly === true,
    reason: decision.reason?.detail ?? decision.message,
    effects: decision.effects ?? [],
    suggestions: (decision.suggestions ?? []).map(({ text }) => text),
  };
}

/**
 * Answers JSON lines `{"id","command"}` or `{"id","tool","input"}` with one verdict a line, in order. A line that can't be
 * judged gets an error line; the rest goes on.
 */
export async function explainBatch(input: Readable, tool: string, judge: Judge): Promise<void> {
  for await (const lines of lineGroups(input)) {
    let answers = "";
    for (const line of lines) {
      if (line.trim() !== "") answers += `${JSON.stringify(await answerTo(line, tool, judge))}\n`;
    }
    if (answers !== "") await write(process.stdout, answers);
  }
}

/** The lines that are at hand together: whoever writes many gets blocks back, whoever waits for each answer gets it at once. */
async function* lineGroups(input: Readable): AsyncGenerator<readonly string[]> {
  let rest = "";
  input.setEncoding("utf8");
  for await (const chunk of input) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
  }
  yield [rest];
}

async function answerTo(line: string, tool: string, judge: Judge): Promise<object> {
  let id: string | number | null = null;
  try {
    const request = parse(line);
    id = idOf(request);
    const call = callOf(request, tool);
    return { id, ...verdictOf(await judge(call.tool, call.input)) };
  } catch (error) {
    if (isToolgateError(error)) return { id, error: { code: error.code, message: error.text } };
    const message = error instanceof Error ? error.message : String(error);
    return { id, error: { code: "internal", message } };
  }
}

function parse(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ToolgateError("invalid_input", "The line is not JSON.");
  }
  if (!isObject(value)) throw new ToolgateError("invalid_input", "The line is not a JSON object.");
  return value;
}

function idOf({ id }: Record<string, unknown>): string | number | null {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function callOf(request: Record<string, unknown>, tool: string): { tool: string; input: JsonObject } {
  const { command, tool: named = tool, input } = request;
  if (typeof command === "string") return { tool: "Bash", input: { command } };
  // It was read from JSON, so it is nothing but JSON.
  if (typeof named === "string" && isObject(input)) return { tool: named, input: input as JsonObject };
  throw new ToolgateError("invalid_input", 'The line needs "command", or "tool" and "input".');
}
