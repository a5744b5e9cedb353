import type { PermissionDecision } from "../decision.ts";
import { ToolgateError } from "../errors.ts";
import type { GateEvent } from "../event.ts";
import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import { decide } from "../permission/engine.ts";
import { proveSuggestions, whyNoSuggestion } from "../permission/prove.ts";
import { formatRule, parseRule } from "../permission/rule-text.ts";
import type { PermissionRule } from "../rule.ts";
import type { ApprovalAnswer, ApprovalRequest, PermissionContext, Tool, ToolInput } from "../tool.ts";
import type { Gate } from "./gate.ts";
import { reviewed } from "./review.ts";
import { ABANDONED, type Stop } from "./stop.ts";
import type { Trail } from "./trail.ts";

/** A call that was refused, with the verdict. */
export class Refusal extends ToolgateError {
  readonly decision: PermissionDecision;

  constructor(decision: PermissionDecision, text: string, code: "denied" | "approval_required" = "denied") {
    super(code, text);
    this.decision = decision;
  }
}

/** One call's input on its way to a verdict. */
export interface Case {
  readonly gate: Gate;
  readonly tool: Tool;
  readonly callId: string;
  readonly input: ToolInput;
  /** What was judged first: its directory stays the call's, whatever other calls do meanwhile. */
  readonly context: PermissionContext;
  readonly trail: Trail;
  readonly stop: Stop;
  readonly emit: ((event: GateEvent) => void) | undefined;
}

/** How often a question is put again because what it was about changed while the person thought. */
const MAX_QUESTIONS = 3;

/**
 * Decides a call and, where a person has to be asked, asks and judges again. Settles with the verdict that let it through.
 * @throws Refusal
 */
export async function settle(the: Case): Promise<PermissionDecision> {
  const verdict = verdictOn(the, the.context);
  const decision = verdict instanceof Promise ? await verdict : verdict;
  the.trail.decided(decision);
  if (decision.behavior === "allow") {
    the.emit?.({ type: "TOOL_CALL_DECIDED", callId: the.callId, decision });
    return decision;
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
  const verdict = decide(tool, input, context);
  if (review === undefined) return verdict;
  return after(verdict, (decision) => reviewed(review, { callId, toolName: tool.name, input, decision }));
}

/** The same verdict with the rules that were proved to settle it. */
export async function withSuggestions(
  { tool, input, context }: Pick<Case, "tool" | "input" | "context">,
  decision: PermissionDecision,
): Promise<PermissionDecision> {
  if (decision.suggestions !== undefined) return decision;
  return { ...decision, suggestions: await proveSuggestions(tool, input, context, decision) };
}

async function ask(the: Case, first: PermissionDecision): Promise<PermissionDecision> {
  // While this one waited for its turn, an answer to another may have settled it.
  let open = await judgeAgain(the, first);
  for (let round = 0; open.behavior === "ask" && round < MAX_QUESTIONS; round++) {
    const answer = await put(the, open);
    if (answer === undefined) throw new Refusal(open, unanswered(the, open), "approval_required");
    the.trail.answered(answer.approved, answer.by, answer.approved ? undefined : answer.feedback);
    if (!answer.approved) throw new Refusal(open, rejected(the.tool, answer));
    the.gate.state.permissions.rules.push(...(answer.rules ?? []).map(sessionRule));
    const again = await judgeAgain(the, open);
    if (again.behavior === "ask" && isSameQuestion(again, open)) return again;
    open = again;
  }
  if (open.behavior === "allow") return open;
  throw new Refusal(open, open.behavior === "deny" ? denied(open) : "What was asked about kept changing.");
}

/** Puts a question to a person; `undefined` when nobody answers. */
async function put(the: Case, open: PermissionDecision): Promise<ApprovalAnswer | undefined> {
  const { gate, callId, tool, input, stop } = the;
  if (stop.reason !== undefined) throw stop.reason;
  const request: ApprovalRequest = {
    callId,
    toolName: tool.name,
    input,
    decision: open,
    suggestions: open.suggestions ?? [],
  };
  the.emit?.({ type: "REQUIRE_USER_CONFIRM", callId, request });
  if (gate.approver === undefined) return undefined;
  const asked = Promise.resolve(gate.approver(request, stop.signal));
  const answer = await stop.race(asked);
  if (answer === ABANDONED || stop.reason !== undefined)
    throw stop.reason ?? new ToolgateError("aborted", "The call was cancelled.");
  return answer;
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

function denied({ message, suggestions = [] }: PermissionDecision): string {
  const rules = rulesText(suggestions);
  return rules === undefined ? message : `${message} A person can allow it with the rule ${rules}.`;
}

function unanswered({ tool, context }: Case, decision: PermissionDecision): string {
  const why = decision.reason?.detail ?? decision.message;
  const start = `${tool.name} needs a person's approval, and nobody answered. ${why}`;
  const rules = rulesText(decision.suggestions ?? []);
  if (rules !== undefined) return `${start} It would be allowed by the rule ${rules}.`;
  const none = whyNoSuggestion(decision, context);
  return none === undefined ? `${start} No rule can be named that would allow it.` : `${start} ${none}`;
}

function rulesText(suggestions: NonNullable<PermissionDecision["suggestions"]>): string | undefined {
  if (suggestions.length === 0) return undefined;
  return suggestions.map(({ text }) => `\`${text}\``).join(" or ");
}

function rejected(tool: Tool, { by, feedback }: Extract<ApprovalAnswer, { approved: false }>): string {
  const start = `${tool.name} was not run: ${by} said no.`;
  return feedback === undefined || feedback.trim() === ""
    ? `${start} Don't try it in other words; ask what is wanted instead.`
    : `${start} They said: ${feedback.trim()}`;
}

/**
 * A rule that a person gave along, held to the grammar and the session's tier.
 * @throws ToolgateError `invalid_rule`
 */
function sessionRule(rule: PermissionRule): PermissionRule {
  return parseRule(formatRule(rule), rule.behavior, "session");
}
