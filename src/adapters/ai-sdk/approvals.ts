import type { ModelMessage } from "ai";
import type { PermissionDecision } from "../../decision.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isObject } from "../../lib/json.ts";
import type { Approver } from "../../tool.ts";

/**
 * Which approvals count. `asked-here`: only for calls that this process has asked about. `in-messages`: also those that the
 * conversation holds from other processes; clients can forge these unless `experimental_toolApprovalSecret` is set.
 */
export type ApprovalSource = "asked-here" | "in-messages";

/** A call as the SDK hands it over. */
export interface SdkCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Questions that are kept; the oldest are forgotten, which asks again. */
const MOST_KEPT = 10_000;

/** What was asked through the SDK, and may run once when the person said yes. */
export class Approvals {
  readonly #source: ApprovalSource;
  readonly #by: string;
  /** By call id: what was asked, or that it was used. */
  readonly #asked = new Map<string, { readonly subject: string; readonly question: string } | "used">();

  constructor(source: ApprovalSource, by: string) {
    this.#source = source;
    this.#by = by;
  }

  /**
   * Keeps what a person is being asked; an approval that was used stays used. The SDK asks again about calls that the conversation
   * already holds, with the answer beside them: that is no question, and what a client put there would count as asked.
   */
  ask(call: SdkCall, decision: PermissionDecision, messages: readonly ModelMessage[]): void {
    if (this.#asked.get(call.id) === "used") return;
    if (partsOf(messages).some(({ toolCallId }) => toolCallId === call.id)) return;
    this.#keep(call.id, { subject: subjectOf(call), question: questionOf(decision) });
  }

  /** What answers the gate's question about a call, if the conversation holds a yes to it that was not used. */
  approverFor(call: SdkCall, messages: readonly ModelMessage[]): Approver | undefined {
    const asked = this.#asked.get(call.id);
    if (asked === "used" || !isApproved(call, messages)) return undefined;
    if (asked === undefined && this.#source === "asked-here") return undefined;
    if (asked !== undefined && asked.subject !== subjectOf(call)) return undefined;
    return ({ decision }) => {
      if (this.#asked.get(call.id) === "used") return undefined;
      // Approved was what was asked then; where the same call would do something else now, it has to be asked again.
      if (asked !== undefined && asked.question !== questionOf(decision)) return undefined;
      this.#keep(call.id, "used");
      return { approved: true, by: this.#by };
    };
  }

  #keep(id: string, value: { readonly subject: string; readonly question: string } | "used"): void {
    this.#asked.delete(id);
    this.#asked.set(id, value);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MOST_KEPT && oldest !== undefined) this.#asked.delete(oldest);
  }
}

function subjectOf({ name, input }: SdkCall): string {
  return canonicalJson([name, input]);
}

function questionOf({ effects, bypassImmune }: PermissionDecision): string {
  return canonicalJson([effects ?? null, bypassImmune === true]);
}

/** Whether the conversation holds this very call, a request about it and a yes to that, and no result yet. */
function isApproved(call: SdkCall, messages: readonly ModelMessage[]): boolean {
  const parts = partsOf(messages);
  const ofCall = parts.filter(({ toolCallId }) => toolCallId === call.id);
  if (ofCall.some(({ type }) => type === "tool-result")) return false;
  const made = ofCall.filter(({ type }) => type === "tool-call");
  const isSame = ({ toolName, input }: Record<string, unknown>): boolean =>
    typeof toolName === "string" && subjectOf({ id: call.id, name: toolName, input }) === subjectOf(call);
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
