import type { PermissionDecision } from "../decision.ts";
import { isToolgateError } from "../errors.ts";
import { after } from "../lib/after.ts";
import type { JsonObject, MaybePromise } from "../lib/json.ts";
import { decide } from "../permission/engine.ts";
import { proveSuggestions } from "../permission/prove.ts";
import { formatRule, parseRule } from "../permission/rule-text.ts";
import type { PermissionRule } from "../rule.ts";
import type { ApprovalAnswer, PermissionContext, Tool, ToolInput } from "../tool.ts";
import type { Case, Settled } from "./case.ts";
import { failureOf } from "./failure.ts";
import { put } from "./question.ts";
import { readInput } from "./read-input.ts";
import { denied, Refusal, rejected } from "./refusal.ts";
import { reviewed } from "./review.ts";

/** How often a question is put again because what it was about changed while the person thought. */
const MAX_QUESTIONS = 3;

/**
 * Decides a call and, where a person has to be asked, asks and judges again. Settles with the verdict that let it through.
 * @throws Refusal, Parked
 */
export async function settle(the: Case): Promise<Settled> {
  const verdict = verdictOn(the, the.context);
  const decision = verdict instanceof Promise ? await verdict : verdict;
  the.trail.decided(decision);
  if (decision.behavior === "allow" && the.parking?.hasAnswer !== true) {
    the.emit?.({ type: "TOOL_CALL_DECIDED", callId: the.callId, decision });
    return { decision, input: the.input };
  }
  const full = await withSuggestions(the, decision);
  the.emit?.({ type: "TOOL_CALL_DECIDED", callId: the.callId, decision: full });
  if (full.behavior === "deny") throw new Refusal(full, denied(full));
  return the.gate.questions.take(() => ask(the, full), the.stop.signal);
}

/** The engine's verdict, as it counts after review. */
function verdictOn(the: Case, context: PermissionContext): MaybePromise<PermissionDecision> {
  const { gate, tool, callId, input } = the;
  const { review } = gate;
  const verdict = ownVerdict(tool, input, context);
  if (review === undefined) return verdict;
  return after(verdict, (decision) => reviewed(review, { callId, toolName: tool.name, input, decision }));
}

/** The engine asks the tool; what the tool throws at that is its own failure. */
function ownVerdict(
  tool: Tool,
  input: ToolInput,
  context: PermissionContext,
): MaybePromise<PermissionDecision> {
  const failed = (error: unknown): never => {
    throw failureOf(tool, error);
  };
  try {
    const verdict = decide(tool, input, context);
    return verdict instanceof Promise ? verdict.catch(failed) : verdict;
  } catch (error) {
    return failed(error);
  }
}

/** The same verdict with the rules that were proved to settle it. */
export async function withSuggestions(
  { tool, input, context }: Pick<Case, "tool" | "input" | "context">,
  decision: PermissionDecision,
): Promise<PermissionDecision> {
  if (decision.suggestions !== undefined || decision.behavior === "allow") return decision;
  return { ...decision, suggestions: await proveSuggestions(tool, input, context, decision) };
}

async function ask(first: Case, decision: PermissionDecision): Promise<Settled> {
  let the = first;
  // While this one waited for its turn, an answer to another may have settled it.
  let open = await judgeAgain(the, decision);
  let why: string | undefined;
  for (let round = 0; needsAnswer(the, open) && round < MAX_QUESTIONS; round++) {
    const answer = await put(the, open, why);
    const input = takeYes(the, open, answer);
    const edit = input === undefined ? the : await edited(the, input);
    if (typeof edit === "string") {
      why = edit;
      continue;
    }
    the = edit;
    const again = await judgeAgain(the, open);
    if (isAnswered(again, open, input !== undefined)) return { decision: again, input: the.input };
    why = "What the call would do is judged differently now.";
    open = again;
  }
  if (open.behavior === "allow") return { decision: open, input: the.input };
  throw new Refusal(open, open.behavior === "deny" ? denied(open) : "What was asked about kept changing.");
}

/**
 * Records an answer and takes the rules that came with it. Answers the input that came with it.
 * @throws Refusal when it is a no
 */
function takeYes(
  { tool, trail, gate }: Case,
  open: PermissionDecision,
  answer: ApprovalAnswer,
): JsonObject | undefined {
  trail.answered(answer.approved, answer.by, answer.approved ? undefined : answer.feedback);
  if (!answer.approved) throw new Refusal(open, rejected(tool, answer));
  gate.state.permissions.rules.push(...(answer.rules ?? []).map(sessionRule));
  return answer.input;
}

/** An answer that was given to a parked question counts, whatever the rules say by now. */
function needsAnswer({ parking }: Case, { behavior }: PermissionDecision): boolean {
  return behavior === "ask" || (behavior === "allow" && parking?.hasAnswer === true);
}

/** The case with the input that a person made of it; what is wrong with that input where it isn't one. */
async function edited(the: Case, input: JsonObject): Promise<Case | string> {
  try {
    return { ...the, input: await readInput(the.tool, input, the.gate.limits.inputChars) };
  } catch (error) {
    if (isToolgateError(error, "invalid_input")) return `The edited input can't be used. ${error.message}`;
    throw error;
  }
}

/** Whether the answer to `open` settles `again`. Who edits an input answers for it, but not for a danger that it didn't have before. */
function isAnswered(again: PermissionDecision, open: PermissionDecision, isEdited: boolean): boolean {
  if (again.behavior !== "ask") return false;
  if (isEdited) return again.bypassImmune !== true || open.bypassImmune === true;
  return isSameQuestion(again, open);
}

/** The verdict as it would be now, for the place where the call was first judged. */
async function judgeAgain(the: Case, before: PermissionDecision): Promise<PermissionDecision> {
  const { tool, input, context, gate } = the;
  const now = { ...gate.contextFor(context.backend), cwd: context.cwd };
  if (now.mode === context.mode && now.rules === context.rules && before.suggestions !== undefined) {
    // Rules and mode are what they were; files and links may not be.
    const again = await verdictOn(the, now);
    return isSameQuestion(again, before) ? before : withSuggestions({ tool, input, context: now }, again);
  }
  return withSuggestions({ tool, input, context: now }, await verdictOn(the, now));
}

/** Whether an approval of the one is an approval of the other. */
function isSameQuestion(a: PermissionDecision, b: PermissionDecision): boolean {
  return (
    a.behavior === b.behavior &&
    a.bypassImmune === b.bypassImmune &&
    JSON.stringify(a.effects) === JSON.stringify(b.effects)
  );
}

/**
 * A rule that a person gave along, held to the grammar and the session's tier.
 * @throws ToolgateError `invalid_rule`
 */
function sessionRule(rule: PermissionRule): PermissionRule {
  return parseRule(formatRule(rule), rule.behavior, "session");
}
