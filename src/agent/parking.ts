import { createHash } from "node:crypto";
import type { PermissionDecision } from "../decision.ts";
import { isToolgateError } from "../errors.ts";
import type { ParkedCall } from "../message.ts";
import type { PermissionRule } from "../rule.ts";
import type { AgentState } from "../state.ts";
import type { ApprovalRequest } from "../tool.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";

/** A person's yes to one call as it was shown to them; it counts for nothing else. */
export interface Grant {
  readonly by: string;
  readonly toolName: string;
  /** The input that it is for, as JSON. */
  readonly input: string;
  /** What was judged when they were asked; absent when they changed the input themselves. */
  readonly effects?: string;
  readonly bypassImmune: boolean;
}

/** The yes to a call that waits. `edited`: the input they want instead. */
export function grantFor(parked: ParkedCall, by: string, edited: string | undefined): Grant {
  const { toolName, effects, bypassImmune = false } = parked;
  if (edited !== undefined) return { by, toolName, input: edited, bypassImmune: false };
  return {
    by,
    toolName,
    input: JSON.stringify(parked.input),
    bypassImmune,
    ...(effects === undefined ? {} : { effects }),
  };
}

/** Whether a question is the one that the yes was given to. A safety question needs a yes of its own. */
export function fits(
  grant: Grant,
  { cwd }: Pick<AgentState, "cwd">,
  { toolName, input, decision }: ApprovalRequest,
): boolean {
  if (grant.toolName !== toolName || grant.input !== JSON.stringify(input)) return false;
  if ((decision.bypassImmune ?? false) !== grant.bypassImmune) return false;
  return grant.effects === undefined || grant.effects === markOf(decision, cwd);
}

/** A call that waits for a person, as the state keeps it. */
export function waitingForPerson(
  request: ApprovalRequest,
  { cwd }: Pick<AgentState, "cwd">,
  approvalId: string | undefined,
): ParkedCall {
  const { callId, toolName, input, decision, suggestions, why } = request;
  return {
    callId,
    toolName,
    waitsFor: "approval",
    input,
    message: decision.reason?.detail ?? decision.message,
    effects: markOf(decision, cwd),
    suggestions,
    ...(decision.bypassImmune === true ? { bypassImmune: true } : {}),
    ...(why === undefined ? {} : { why }),
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}

/** What was judged, and where: a program that may do anything does something else in another directory. */
function markOf({ effects }: PermissionDecision, cwd: string): string {
  return createHash("sha256")
    .update(JSON.stringify([effects ?? null, cwd]))
    .digest("hex");
}

/**
 * Whether one of the rules that are offered for other questions would settle this one too, so that it needn't be asked now. Never
 * so for a safety question.
 */
export async function isCovered(
  toolkit: Toolkit,
  state: AgentState,
  others: readonly ApprovalRequest[],
  { callId, toolName, input, decision, suggestions }: ApprovalRequest,
): Promise<boolean> {
  if (decision.bypassImmune === true) return false;
  const offered = [...state.parked, ...others]
    .filter((other) => other.callId !== callId)
    .flatMap((other) => other.suggestions ?? []);
  const own = new Set(suggestions.map(({ text }) => text));
  if (offered.some(({ text }) => own.has(text))) return true;
  for (const { rule, rules = [rule] } of offered) {
    if (rules.every((one) => one.toolName !== toolName && !one.toolName.includes("*"))) continue;
    if (await wouldSettle(toolkit, toolName, input, rules)) return true;
  }
  return false;
}

async function wouldSettle(
  toolkit: Toolkit,
  toolName: string,
  input: ApprovalRequest["input"],
  rules: readonly PermissionRule[],
): Promise<boolean> {
  try {
    return (await toolkit.judge(toolName, input, rules)).behavior === "allow";
  } catch (error) {
    if (isToolgateError(error)) return false;
    throw error;
  }
}
