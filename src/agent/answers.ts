import { ToolgateError } from "../errors.ts";
import type { ParkedCall, ToolCallBlock } from "../message.ts";
import type { PermissionRule } from "../rule.ts";
import type { AgentState } from "../state.ts";
import { readRule } from "../toolkit/rules.ts";
import { openCalls } from "./conversation.ts";
import type { ConfirmResult, ExternalResult } from "./event.ts";

/** An answer with what it answers. */
export interface Matched<T> {
  readonly answer: T;
  readonly call: ToolCallBlock;
  readonly parked: ParkedCall;
}

/**
 * Brings answers together with the calls that wait for them. Nothing has happened yet when it throws.
 * @throws ToolgateError `usage` for calls that don't wait for this kind of answer, that are unknown, or that are answered twice
 */
export function match<T extends ConfirmResult | ExternalResult>(
  state: AgentState,
  answers: readonly T[],
  waitsFor: ParkedCall["waitsFor"],
): readonly Matched<T>[] {
  if (answers.length === 0) throw new ToolgateError("usage", "There is no answer in it.");
  const calls = new Map(openCalls(state).map((call) => [call.id, call]));
  const parked = new Map(state.parked.map((one) => [one.callId, one]));
  const seen = new Set<string>();
  return answers.map((answer) => {
    const { callId } = answer;
    const shown = JSON.stringify(callId);
    const [call, waiting] = [calls.get(callId), parked.get(callId)];
    if (call === undefined || waiting === undefined) {
      throw new ToolgateError("usage", `No call ${shown} waits for an answer.`, { hint: waitingText(state) });
    }
    if (waiting.waitsFor !== waitsFor) {
      const what =
        waiting.waitsFor === "approval" ? "a yes or no" : "the result of what is carried out elsewhere";
      throw new ToolgateError("usage", `The call ${shown} waits for ${what}.`);
    }
    if (seen.has(callId)) throw new ToolgateError("usage", `The call ${shown} is answered twice at once.`);
    seen.add(callId);
    return { answer, call, parked: waiting };
  });
}

/** @throws ToolgateError `usage`, `invalid_rule` */
export function checkConfirmation({ answer, call }: Matched<ConfirmResult>): void {
  const { toolName, confirmed, input, feedback } = answer;
  const shown = JSON.stringify(call.id);
  if (typeof confirmed !== "boolean") {
    throw new ToolgateError("usage", `The answer to ${shown} is neither yes nor no.`);
  }
  if (toolName !== undefined && toolName !== call.name) {
    throw new ToolgateError("usage", `The call ${shown} is one of ${call.name}, and that can't be changed.`, {
      hint: "Its input can. To have something else done, say no and say what.",
    });
  }
  if (input !== undefined && !confirmed) {
    throw new ToolgateError("usage", `The answer to ${shown} says no, and gives an input.`);
  }
  if (feedback !== undefined && confirmed) {
    throw new ToolgateError("usage", `The answer to ${shown} says yes, and gives feedback.`);
  }
}

/**
 * The rules given with answers, for the rest of the session.
 * @throws ToolgateError `invalid_rule`
 */
export function rulesOf(answers: readonly Matched<ConfirmResult>[]): readonly PermissionRule[] {
  return answers.flatMap(({ answer: { rules = [] } }) =>
    rules.map((rule) => ({ ...readRule(rule), source: "session" as const })),
  );
}

/** What waits, in words. */
export function waitingText({ parked }: AgentState): string {
  if (parked.length === 0) return "Nothing waits for an answer.";
  return `These wait: ${parked.map(({ callId, toolName }) => `${callId} (${toolName})`).join(", ")}.`;
}
