import type { PermissionDecision } from "../decision.ts";
import { ToolgateError } from "../errors.ts";
import { whyNoSuggestion } from "../permission/prove.ts";
import type { ApprovalAnswer, PermissionContext, Tool } from "../tool.ts";

/** A call that was refused, with the verdict. */
export class Refusal extends ToolgateError {
  readonly decision: PermissionDecision;

  constructor(decision: PermissionDecision, text: string, code: "denied" | "approval_required" = "denied") {
    super(code, text);
    this.decision = decision;
  }
}

/** A call that waits in a store, for an answer or for a result. */
export class Parked extends ToolgateError {
  readonly waitsFor: { readonly approvalId: string } | { readonly recordId: string };
  readonly decision: PermissionDecision | undefined;

  constructor(waitsFor: Parked["waitsFor"], text: string, decision?: PermissionDecision) {
    super("approvalId" in waitsFor ? "approval_required" : "external", text);
    this.waitsFor = waitsFor;
    this.decision = decision;
  }
}

/** What is said of a call that is denied. */
export function denied({ message, suggestions = [] }: PermissionDecision): string {
  const rules = rulesText(suggestions);
  return rules === undefined ? message : `${message} A person can allow it with the rule ${rules}.`;
}

/** What is said of a call that nobody was there to be asked about. */
export function unanswered(tool: Tool, context: PermissionContext, decision: PermissionDecision): string {
  const why = decision.reason?.detail ?? decision.message;
  const start = `${tool.name} needs a person's approval, and nobody answered. ${why}`;
  const rules = rulesText(decision.suggestions ?? []);
  if (rules !== undefined) return `${start} It would be allowed by the rule ${rules}.`;
  const none = whyNoSuggestion(decision, context);
  return none === undefined ? `${start} No rule can be named that would allow it.` : `${start} ${none}`;
}

/** What is said of a call that a person said no to. */
export function rejected(tool: Tool, { by, feedback }: Extract<ApprovalAnswer, { approved: false }>): string {
  const start = `${tool.name} was not run: ${by} said no.`;
  return feedback === undefined || feedback.trim() === ""
    ? `${start} Don't try it in other words; ask what is wanted instead.`
    : `${start} They said: ${feedback.trim()}`;
}

function rulesText(suggestions: NonNullable<PermissionDecision["suggestions"]>): string | undefined {
  if (suggestions.length === 0) return undefined;
  return suggestions.map(({ text }) => `\`${text}\``).join(" or ");
}
