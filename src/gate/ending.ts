import { isToolgateError } from "../errors.ts";
import { jsonCopy } from "../lib/frozen-json.ts";
import type { Ending } from "./answer.ts";
import { Parked, Refusal } from "./refusal.ts";

const DENIED: ReadonlySet<string> = new Set(["denied", "approval_required", "confine_unavailable"]);
const INTERRUPTED: ReadonlySet<string> = new Set(["aborted", "timeout", "unknown_outcome"]);

/** How a call ends that was given up for `error`. */
export function endingOf(error: unknown): Ending {
  if (!isToolgateError(error)) {
    const what = error instanceof Error ? error.message : String(error);
    const text = `Something went wrong inside toolgate, and the call was given up: ${what}`;
    return { state: "error", text, metadata: { code: "internal", message: what } };
  }
  const { code, message, text } = error;
  const waitsFor = error instanceof Parked ? { parked: true, ...error.waitsFor } : {};
  const why = error instanceof Refusal || error instanceof Parked ? error.decision : undefined;
  const decision = why === undefined ? undefined : jsonCopy(why);
  return {
    state: DENIED.has(code) ? "denied" : INTERRUPTED.has(code) ? "interrupted" : "error",
    text,
    metadata: { code, message, ...waitsFor, ...(decision === undefined ? {} : { decision }) },
  };
}
