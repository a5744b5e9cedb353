import type { Approval } from "../approval.ts";
import type { PermissionDecision } from "../decision.ts";
import type { ToolCall } from "../event.ts";
import type { AgentState } from "../state.ts";
import type { CallOutcome, Store } from "../store.ts";
import type { PermissionContext, Tool, ToolInput } from "../tool.ts";
import type { GateLimits } from "./limits.ts";
import { Parking } from "./park.ts";

/** A call that may run. */
export interface SettledCall {
  readonly tool: Tool;
  readonly input: ToolInput;
  readonly context: PermissionContext;
  readonly decision: PermissionDecision;
}

/** What a store keeps of one call: its questions, its start, its end. */
export class Ledger {
  readonly parking: Parking;
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #callId: string;
  #recordId: string | undefined;

  /** `before`: the question of a call that is gone on with. */
  constructor(
    store: Store,
    of: { readonly state: AgentState; readonly call: ToolCall; readonly limits: GateLimits },
    before?: Approval,
  ) {
    this.#store = store;
    this.#sessionId = of.state.sessionId;
    this.#callId = of.call.id;
    const { approvalMs: validMs } = of.limits;
    this.parking = new Parking(store, { sessionId: this.#sessionId, callId: this.#callId, validMs }, before);
  }

  /** The record of the call's start, once there is one. */
  get recordId(): string | undefined {
    return this.#recordId;
  }

  /**
   * Settles when it is written down that the call starts, and its approval is used up with that. A call that changes nothing and was
   * not asked about needs no record: it may as well run twice.
   * @throws ToolgateError `stale`, `unknown_outcome`, `store_unavailable`
   */
  async start({ tool, input, context, decision }: SettledCall): Promise<void> {
    const { approvalId } = this.parking;
    if (approvalId === undefined) await this.parking.release();
    const isExternal = tool.isExternalTool;
    if (decision.readOnly === true && approvalId === undefined && !isExternal) return;
    const id = crypto.randomUUID();
    await this.#store.start({
      id,
      sessionId: this.#sessionId,
      callId: this.#callId,
      toolName: tool.name,
      input,
      cwd: context.cwd,
      backendId: context.backend.id,
      external: isExternal,
      ...(approvalId === undefined ? {} : { approvalId }),
    });
    this.#recordId = id;
  }

  /** Settles when the end is kept, with what went wrong if it wasn't: the call itself can't be taken back. */
  async finish(response: CallOutcome): Promise<string | undefined> {
    if (this.#recordId === undefined) return undefined;
    try {
      await this.#store.finish(this.#recordId, response);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
