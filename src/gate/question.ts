import type { PermissionDecision } from "../decision.ts";
import { ToolgateError } from "../errors.ts";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../tool.ts";
import type { Case } from "./case.ts";
import { Parked, Refusal, unanswered } from "./refusal.ts";
import { ABANDONED } from "./stop.ts";

/**
 * Puts a question to a person, or finds its answer in the store. `why`: it is put again.
 * @throws Refusal, Parked when nobody answers
 */
export async function put(the: Case, open: PermissionDecision, why?: string): Promise<ApprovalAnswer> {
  const { gate, callId, tool, input, stop, parking, context } = the;
  if (stop.reason !== undefined) throw stop.reason;
  const kept = await parking?.put({ toolName: tool.name, input, context, decision: open }, why);
  if (kept?.status === "answered") return kept.answer;
  const { id: approvalId, why: changed = why } = kept?.approval ?? {};
  const request: ApprovalRequest = {
    callId,
    toolName: tool.name,
    input,
    decision: open,
    suggestions: open.suggestions ?? [],
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(changed === undefined ? {} : { why: changed }),
  };
  the.emit?.({ type: "REQUIRE_USER_CONFIRM", callId, request });
  const answer = gate.approver === undefined ? undefined : await askPerson(the, gate.approver, request);
  if (answer !== undefined) {
    return parking === undefined || approvalId === undefined ? answer : parking.answer(approvalId, answer);
  }
  const text = unanswered(tool, context, open);
  if (approvalId !== undefined) throw new Parked({ approvalId }, text, open);
  throw new Refusal(open, text, "approval_required");
}

/** Asks whoever is at hand; where a store keeps the question, an answer from elsewhere counts as well. */
async function askPerson(
  { stop, parking }: Case,
  approver: Approver,
  request: ApprovalRequest,
): Promise<ApprovalAnswer | undefined> {
  const { approvalId: id } = request;
  const over = new AbortController();
  const signal = id === undefined ? stop.signal : AbortSignal.any([stop.signal, over.signal]);
  try {
    const asked = [answerTo(request, approver, signal)];
    if (parking !== undefined && id !== undefined) asked.push(parking.answeredElsewhere(id, signal));
    const answer = await stop.race(Promise.race(asked));
    if (answer !== ABANDONED && stop.reason === undefined) return answer;
    throw stop.reason ?? new ToolgateError("aborted", "The call was cancelled.");
  } catch (error) {
    // The call ends with this: nobody is to answer what nobody waits for.
    if (id !== undefined) await parking?.withdraw(id);
    throw error;
  } finally {
    over.abort();
  }
}

/** An approver that fails is as good as none: the question stays in the store if there is one. */
async function answerTo(
  request: ApprovalRequest,
  approver: Approver,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  try {
    return await approver(request, signal);
  } catch (error) {
    if (signal.aborted || request.approvalId !== undefined) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    const text = `${request.toolName} needs a person's approval, and the question could not be put: ${why}`;
    throw new Refusal(request.decision, text, "approval_required");
  }
}
