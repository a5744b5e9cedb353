import { textBlock } from "../chunk.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import type { Json } from "../lib/json.ts";
import { isObject } from "../lib/json.ts";
import { ToolResponse } from "../response.ts";
import type { Toolkit, TurnOptions } from "../toolkit/toolkit.ts";

/** A call as a provider's message had it. */
export interface ReadCall extends ToolCall {
  /** The model was stopped before the call was complete: it is answered, and never run. */
  readonly isCutOff?: boolean;
  /** It was made to a tool that takes free text, and wants its answer so. */
  readonly isCustom?: boolean;
}

/** A call with its answer. */
export interface AnsweredCall {
  readonly call: ReadCall;
  readonly response: ToolResponse;
}

/** What a caller may say about the calls of one turn. */
export interface AnswerOptions extends TurnOptions {
  /** Takes what happens as it happens. */
  readonly onEvent?: (event: GateEvent) => void;
}

/**
 * Runs the calls of one turn through the gate and gives one answer a call, in their order: also where a call was refused, cut
 * off, parked or left out. Never rejects for what a model did.
 */
export async function answerCalls(
  toolkit: Toolkit,
  calls: readonly ReadCall[],
  options: AnswerOptions = {},
): Promise<readonly AnsweredCall[]> {
  const { onEvent, ...rest } = options;
  const named = withDistinctIds(calls);
  const answers = new Map<string, ToolResponse>();
  const whole = named.filter(({ isCutOff }) => isCutOff !== true);
  for await (const event of toolkit.runBatch(whole, rest)) {
    if (event.type === "TOOL_RESULT_END") answers.set(event.callId, event.response);
    if (event.type === "TOOL_CALL_PARKED") answers.set(event.callId, parkedResponse(event));
    onEvent?.(event);
  }
  return calls.map((call, at) => {
    const id = named[at]?.id ?? call.id;
    return { call, response: answers.get(id) ?? unanswered(call) };
  });
}

/** The text of an answer as a model is shown it; never empty. */
export function answerText(response: ToolResponse): string {
  return response.text === "" ? NO_OUTPUT : response.text;
}

/** Stands for an answer without content: some providers refuse empty ones. */
export const NO_OUTPUT = "(no output)";

/** A model's arguments as the gate takes them, whatever a server made of them. */
export function rawInput(value: unknown): ToolCall["input"] {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (isObject(value)) return Object.fromEntries(Object.entries(value).filter(isJsonMember));
  return JSON.stringify(value) ?? "";
}

/** Whether a text is complete JSON. What a model was stopped in may look as if a repair could complete it. */
export function isCompleteJson(text: ToolCall["input"]): boolean {
  if (typeof text !== "string") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The gate checks what is inside; here only what JSON has no word for is left out. */
function isJsonMember(member: [string, unknown]): member is [string, Json] {
  return member[1] !== undefined;
}

/** Weak servers give empty or repeated ids. The gate is given others; the answers keep the provider's. */
function withDistinctIds(calls: readonly ReadCall[]): readonly ReadCall[] {
  const taken = new Set<string>();
  return calls.map((call) => {
    const id = call.id === "" || taken.has(call.id) ? crypto.randomUUID() : call.id;
    taken.add(id);
    return { ...call, id };
  });
}

function unanswered({ id, name, isCutOff }: ReadCall): ToolResponse {
  const text =
    isCutOff === true
      ? `${name} was not run: the message ended before the call's arguments were complete. Call it again with shorter arguments, or in parts.`
      : `${name} gave no answer.`;
  return failed(id, text, "error", { code: isCutOff === true ? "invalid_input" : "internal" });
}

/** What stands for the result of a call that waits for somebody. */
export function parkedResponse({
  callId,
  toolName,
  approvalId,
  recordId,
}: Extract<GateEvent, { type: "TOOL_CALL_PARKED" }>): ToolResponse {
  if (approvalId !== undefined) {
    const text = `${toolName} was not run yet: it waits for a person's approval (${approvalId}).`;
    return failed(callId, text, "denied", { code: "approval_required", approvalId });
  }
  if (recordId !== undefined) {
    const text = `${toolName} has no result yet: it is carried out elsewhere (${recordId}).`;
    return failed(callId, text, "interrupted", { code: "external", recordId });
  }
  const text = `${toolName} was not run: a call before it in this turn waits for somebody.`;
  return failed(callId, text, "interrupted", { code: "aborted" });
}

function failed(
  id: string,
  text: string,
  state: "error" | "denied" | "interrupted",
  metadata: Record<string, string>,
): ToolResponse {
  return new ToolResponse(id, [textBlock(text)], state, { ...metadata, message: text });
}
