import { isToolgateError, ToolgateError } from "../errors.ts";
import { jsonCopy } from "../lib/frozen-json.ts";
import type { Tool } from "../tool.ts";
import type { Ending } from "./answer.ts";
import { Refusal } from "./settle.ts";

const DENIED: ReadonlySet<string> = new Set(["denied", "approval_required", "confine_unavailable"]);
const INTERRUPTED: ReadonlySet<string> = new Set(["aborted", "timeout"]);

/** How a call ends that was given up for `error`. */
export function endingOf(error: unknown): Ending {
  if (!isToolgateError(error)) {
    const what = error instanceof Error ? error.message : String(error);
    const text = `Something went wrong inside toolgate, and the call was given up: ${what}`;
    return { state: "error", text, metadata: { code: "internal", message: what } };
  }
  const { code, message, text } = error;
  const decision = error instanceof Refusal ? jsonCopy(error.decision) : undefined;
  return {
    state: DENIED.has(code) ? "denied" : INTERRUPTED.has(code) ? "interrupted" : "error",
    text,
    metadata: { code, message, ...(decision === undefined ? {} : { decision }) },
  };
}

/** What a tool threw, as its failure; errors that say what they are pass as they are. */
export function failureOf(tool: Tool, error: unknown): ToolgateError {
  if (isToolgateError(error)) return error;
  const what = error instanceof Error ? error.message || error.name : String(error);
  return new ToolgateError("tool_failed", `${tool.name} failed: ${what}`, { cause: error });
}
