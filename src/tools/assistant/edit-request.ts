import { ToolgateError } from "../../errors.ts";
import type { ToolInput } from "../../tool.ts";
import type { LineEdit } from "./edit-lines.ts";

/** What an `edit_file` call asks for: a text in place of another, or lines by their numbers. */
export type EditFileRequest =
  | { readonly kind: "text"; readonly old: string; readonly new: string; readonly all: boolean }
  | ({ readonly kind: "lines" } & LineEdit);

/**
 * Reads a call's parameters, under the older names too. A text that was left out is never taken for an empty one.
 * @throws ToolgateError `invalid_input`
 */
export function editRequest(input: ToolInput): EditFileRequest {
  const old = textOf(input, "old_str", "old_text");
  const fresh = textOf(input, "new_str", "new_text");
  const { start_line: start, end_line: end, insert = false } = input;
  if (fresh === undefined) {
    throw wrong("new_str is missing.", 'Give the new text; new_str "" takes text or lines away.');
  }
  if (old !== undefined) {
    if (start !== undefined || end !== undefined || insert === true) {
      throw wrong("old_str and line numbers are given both.", "Give one of them.");
    }
    return { kind: "text", old, new: fresh, all: input.replace_all === true };
  }
  if (typeof start !== "number") {
    throw wrong(
      "Neither old_str nor start_line is given.",
      "Say what is to be replaced, by its text or its lines.",
    );
  }
  if (insert === true && end !== undefined) {
    throw wrong("insert takes no end_line: nothing is replaced.", "Leave one of them out.");
  }
  const last = typeof end === "number" ? end : start;
  if (last < start) throw wrong(`end_line ${last} is before start_line ${start}.`, "Turn them round.");
  return { kind: "lines", start, end: last, insert: insert === true, text: fresh };
}

function textOf(input: ToolInput, name: string, older: string): string | undefined {
  const { [name]: own, [older]: other } = input;
  if (own !== undefined && other !== undefined && own !== other) {
    throw wrong(
      `${name} and ${older} are the same parameter, and two different texts came.`,
      `Give ${name} only.`,
    );
  }
  const text = own ?? other;
  return typeof text === "string" ? text : undefined;
}

function wrong(message: string, hint: string): ToolgateError {
  return new ToolgateError("invalid_input", message, { hint });
}
