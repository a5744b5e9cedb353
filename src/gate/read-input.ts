import { ToolgateError } from "../errors.ts";
import type { ToolCall } from "../event.ts";
import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { ParsedInput } from "../lib/json-input.ts";
import { parseInput } from "../lib/json-input.ts";
import type { Tool, ToolInput } from "../tool.ts";
import { validateInput } from "./validate.ts";

/**
 * A call's input, read and validated. Frozen: what was validated is what is judged and what runs.
 * @throws ToolgateError `invalid_input`, `too_large`, `tool_failed` when the tool's schema is broken
 */
export function readInput(tool: Tool, raw: ToolCall["input"], maxChars: number): MaybePromise<ToolInput> {
  if (typeof raw === "string" && raw.length > maxChars) {
    throw new ToolgateError(
      "too_large",
      `The input of ${tool.name} has ${raw.length} characters; ${maxChars} are the most.`,
      { hint: "Send it in parts." },
    );
  }
  return after(parseInput(raw), (parsed: ParsedInput) => {
    if (!parsed.ok) {
      throw new ToolgateError(
        "invalid_input",
        `The input of ${tool.name} can't be read: ${parsed.problem}.`,
        { hint: adviceOf(tool, raw) },
      );
    }
    const { value } = parsed;
    return after(validateInput(tool, value), () => value);
  });
}

function adviceOf(tool: Tool, raw: ToolCall["input"]): string {
  if (typeof raw !== "string") return "Send one complete JSON object.";
  return tool.adviseOnBrokenInput?.(raw) ?? "Send one complete JSON object.";
}
