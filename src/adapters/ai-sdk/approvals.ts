import type { ModelMessage } from "ai";
import type { PermissionDecision } from "../../decision.ts";
import type { GateEvent } from "../../event.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isObject } from "../../lib/json.ts";

/** A call as the SDK hands it over, with the conversation that came along. */
export interface SdkCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly messages: readonly ModelMessage[];
}

/** Keeps what people are asked through the SDK, and runs calls with what they answered. */
export interface Approvals {
  /** Keeps a question that is being put. */
  ask(call: SdkCall, decision: PermissionDecision): Promise<void>;
  /** Runs a call; a yes to it that the conversation holds counts, if it was asked and not used. */
  run(call: SdkCall, signal: AbortSignal | undefined): AsyncIterable<GateEvent>;
}

/** What an approval is of: the tool and the very input. */
export function subjectOf({ name, input }: Pick<SdkCall, "name" | "input">): string {
  return canonicalJson([name, input]);
}

/**
 * Whether the conversation holds the call already. The SDK asks again about those, with the answer beside them: that is no new
 * question, and what a client put there would count as asked.
 */
export function isHeld({ id, messages }: SdkCall): boolean {
  return partsOf(messages).some(({ toolCallId }) => toolCallId === id);
}

/** Whether the conversation holds this very call, a request about it and a yes to that, and no result yet. */
export function isApproved(call: SdkCall): boolean {
  const parts = partsOf(call.messages);
  const ofCall = parts.filter(({ toolCallId }) => toolCallId === call.id);
  if (ofCall.some(({ type }) => type === "tool-result")) return false;
  const made = ofCall.filter(({ type }) => type === "tool-call");
  const isSame = ({ toolName, input }: Record<string, unknown>): boolean =>
    typeof toolName === "string" && subjectOf({ name: toolName, input }) === subjectOf(call);
  if (made.length === 0 || !made.every(isSame)) return false;
  const requests = new Set(
    ofCall.flatMap(({ type, approvalId }) => (type === "tool-approval-request" ? [approvalId] : [])),
  );
  const answers = parts.filter(
    ({ type, approvalId }) => type === "tool-approval-response" && requests.has(approvalId),
  );
  return answers.length > 0 && answers.every(({ approved }) => approved === true);
}

function partsOf(messages: readonly ModelMessage[]): readonly Record<string, unknown>[] {
  return messages
    .flatMap(({ content }): unknown[] => (Array.isArray(content) ? content : []))
    .filter(isObject);
}
