import type { PermissionDecision } from "../decision.ts";
import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { ToolInput } from "../tool.ts";

/** A verdict, before it counts. */
export interface ReviewRequest {
  readonly callId: string;
  readonly toolName: string;
  readonly input: ToolInput;
  readonly decision: PermissionDecision;
}

/** Looks at every verdict before it counts. It may tighten one; a looser one than it was given is not taken. */
export type Reviewer = (request: ReviewRequest) => MaybePromise<PermissionDecision>;

/** Stricter ones are higher. What is no verdict at all is as strict as can be. */
const STRICTNESS: ReadonlyMap<unknown, number> = new Map([
  ["allow", 0],
  ["ask", 1],
  ["deny", 2],
]);

/** The verdict after review. */
export function reviewed(review: Reviewer, request: ReviewRequest): MaybePromise<PermissionDecision> {
  const { decision } = request;
  return after(review(request), (given) => {
    const { behavior, message, reason } = given;
    if (strictness(behavior) <= strictness(decision.behavior)) return decision;
    const { confine: _confine, readOnly: _readOnly, ...rest } = decision;
    return {
      ...rest,
      behavior: behavior === "ask" ? "ask" : "deny",
      message,
      ...(reason === undefined ? {} : { reason }),
      // No rule can settle what no rule has decided.
      bypassImmune: true,
      suggestions: [],
    };
  });
}

function strictness(behavior: unknown): number {
  return STRICTNESS.get(behavior) ?? 2;
}
