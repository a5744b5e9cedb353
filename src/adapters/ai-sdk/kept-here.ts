import type { PermissionDecision } from "../../decision.ts";
import type { GateEvent } from "../../event.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import type { Approver } from "../../tool.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import { rawInput } from "../turn.ts";
import { type Approvals, isApproved, isHeld, type SdkCall, subjectOf } from "./approvals.ts";

/**
 * Which approvals count where there is no store. `asked-here`: only for calls that this process has asked about. `in-messages`:
 * also those that the conversation holds from other processes; clients can forge these unless `experimental_toolApprovalSecret` is set.
 */
export type ApprovalSource = "asked-here" | "in-messages";

/** What was asked about a call. */
interface Asked {
  readonly subject: string;
  readonly question: string;
}

/** Questions that are kept; the oldest are forgotten, which asks again. */
const MOST_KEPT = 10_000;

/** Approvals that live as long as this process. */
export class KeptHere implements Approvals {
  readonly #toolkit: Toolkit;
  readonly #source: ApprovalSource;
  readonly #by: string;
  /** By call id: what was asked, or that the yes was used. */
  readonly #asked = new Map<string, Asked | "used">();

  constructor(toolkit: Toolkit, source: ApprovalSource, by: string) {
    this.#toolkit = toolkit;
    this.#source = source;
    this.#by = by;
  }

  async ask(call: SdkCall, decision: PermissionDecision): Promise<void> {
    if (this.#asked.get(call.id) === "used" || isHeld(call)) return;
    this.#keep(call.id, { subject: subjectOf(call), question: questionOf(decision) });
  }

  run(call: SdkCall, signal: AbortSignal | undefined): AsyncIterable<GateEvent> {
    const { id, name, input } = call;
    const approver = this.#approverFor(call);
    return this.#toolkit.run(
      { id, name, input: rawInput(input) },
      { ...(signal === undefined ? {} : { signal }), ...(approver === undefined ? {} : { approver }) },
    );
  }

  #approverFor(call: SdkCall): Approver | undefined {
    const asked = this.#asked.get(call.id);
    if (asked === "used" || !isApproved(call)) return undefined;
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

  #keep(id: string, value: Asked | "used"): void {
    this.#asked.delete(id);
    this.#asked.set(id, value);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MOST_KEPT && oldest !== undefined) this.#asked.delete(oldest);
  }
}

function questionOf({ effects, bypassImmune }: PermissionDecision): string {
  return canonicalJson([effects ?? null, bypassImmune === true]);
}
