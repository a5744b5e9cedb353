import { isToolgateError, ToolgateError } from "../errors.ts";
import type { Tool } from "../tool.ts";

/** What a tool threw, as its failure; errors that say what they are pass as they are. */
export function failureOf(tool: Tool, error: unknown): ToolgateError {
  if (isToolgateError(error)) return error;
  const what = error instanceof Error ? error.message || error.name : String(error);
  return new ToolgateError("tool_failed", `${tool.name} failed: ${what}`, { cause: error });
}
