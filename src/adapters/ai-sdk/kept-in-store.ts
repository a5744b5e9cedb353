import type { PermissionDecision } from "../../decision.ts";
import type { GateEvent } from "../../event.ts";
import type { Store } from "../../store.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import { rawInput } from "../turn.ts";
import { type Approvals, isApproved, isHeld, type SdkCall, subjectOf } from "./approvals.ts";

/**
 * Approvals that outlive the process: each question is parked in the toolkit's store, where it can be answered as well. A call whose
 * yes was used gives its recorded result again, and never runs twice.
 */
export class KeptInStore implements Approvals {
  readonly #toolkit: Toolkit;
  readonly #store: Store;
  readonly #by: string;

  constructor(toolkit: Toolkit, store: Store, by: string) {
    this.#toolkit = toolkit;
    this.#store = store;
    this.#by = by;
  }

  async ask(call: SdkCall): Promise<void> {
    if (isHeld(call)) return;
    const { id, name, input } = call;
    const asking = this.#toolkit.run(
      { id, name, input: rawInput(input) },
      {
        approver: () => undefined,
        // The verdict was to ask: nothing may run now, whatever has changed since.
        review: ({ decision }) => (decision.behavior === "allow" ? asAsk(decision) : decision),
      },
    );
    for await (const _event of asking); // it ends parked
  }

  async *run(call: SdkCall, signal: AbortSignal | undefined): AsyncGenerator<GateEvent, void, undefined> {
    const { id, name, input } = call;
    const options = signal === undefined ? {} : { signal };
    const wasAsked = isApproved(call) && (await this.#wasAsked(call));
    const events = wasAsked
      ? this.#toolkit.resumeCall(id, options)
      : this.#toolkit.run({ id, name, input: rawInput(input) }, options);
    for await (const event of events) {
      // The SDK is answered now and asks no more: a question left open would be taken for asked the next time.
      if (event.type === "TOOL_CALL_PARKED" && event.approvalId !== undefined && isHeld(call)) {
        await this.#store.withdraw(event.approvalId);
      }
      yield event;
    }
  }

  /** Whether this very call was asked about; if nobody has answered yet, the conversation's yes is the answer. */
  async #wasAsked(call: SdkCall): Promise<boolean> {
    try {
      const { sessionId } = this.#toolkit.state;
      const { items } = await this.#store.approvals({ sessionId, callId: call.id });
      const asked = items.findLast(({ status }) => status !== "withdrawn");
      if (
        asked === undefined ||
        subjectOf({ name: asked.toolName, input: asked.input }) !== subjectOf(call)
      ) {
        return false;
      }
      if (asked.status === "pending") await this.#store.answer(asked.id, { approved: true, by: this.#by });
      return true;
    } catch {
      return false; // the gate says what is wrong with the store, or that it has to be asked
    }
  }
}

function asAsk(decision: PermissionDecision): PermissionDecision {
  return { ...decision, behavior: "ask", message: "It was asked about." };
}
