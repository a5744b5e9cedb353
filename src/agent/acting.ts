import type { GateEvent, ToolCall } from "../event.ts";
import type { ExternalExecutor } from "../gate/gate.ts";
import type { ReviewRequest } from "../gate/review.ts";
import type { ToolCallBlock } from "../message.ts";
import { ToolResponse } from "../response.ts";
import type { AgentState } from "../state.ts";
import type { ApprovalRequest, Approver, ToolInput } from "../tool.ts";
import type { Toolkit, TurnOptions } from "../toolkit/toolkit.ts";
import { editCall, finishCall, unpark } from "./conversation.ts";
import type { AgentEvent } from "./event.ts";
import { type AgentMiddleware, actingOnion, reviewOnion } from "./middleware.ts";
import { fits, type Grant, isCovered, waitingForPerson } from "./parking.ts";

/** What calls are run with. */
export interface ActSetup {
  readonly toolkit: Toolkit;
  readonly state: AgentState;
  readonly middlewares: readonly AgentMiddleware[];
  readonly signal: AbortSignal;
  /** A question that nobody will answer, kept in a store. */
  readonly withdraw: (approvalId: string) => Promise<void>;
}

/** Where the events of calls come from: running them, or taking in what came of them. */
export type CallSource = (options: TurnOptions) => AsyncIterable<GateEvent>;

type ResultEvent = Extract<
  GateEvent,
  { type: "TOOL_RESULT_START" | "TOOL_RESULT_TEXT_DELTA" | "TOOL_RESULT_DATA_DELTA" }
>;
type ResultEnd = Extract<GateEvent, { type: "TOOL_RESULT_END" }>;

/**
 * Some calls of one turn: shows what happens to them, keeps their results, and parks those that wait for somebody. Afterwards
 * each of them has a result, is parked, or wasn't begun since another is parked.
 */
export class Acting {
  readonly #setup: ActSetup;
  readonly #calls: ReadonlyMap<string, ToolCallBlock>;
  readonly #grants: ReadonlyMap<string, Grant>;
  readonly #asked = new Map<string, ApprovalRequest>();
  readonly #handed = new Map<string, ToolInput>();
  readonly #decided = new Set<string>();
  /** Questions and hand-overs that nobody here took. */
  readonly #untaken = new Set<string>();
  /** Questions that weren't put since a rule offered for another would settle them. */
  readonly #covered = new Set<string>();
  /** Verdicts that a middleware answered, by call. */
  readonly #allowed = new Map<string, ReviewRequest>();
  /** Inputs that a person at hand wants instead, as JSON. */
  readonly #edits = new Map<string, string>();
  readonly #held = new Map<string, ResultEvent[]>();
  #someWait = false;

  constructor(
    setup: ActSetup,
    calls: readonly ToolCallBlock[],
    grants: ReadonlyMap<string, Grant> = new Map(),
  ) {
    this.#setup = setup;
    this.#calls = new Map(calls.map((call) => [call.id, call]));
    this.#grants = grants;
  }

  /** Runs them, or takes their events from elsewhere. */
  async *run(source?: CallSource): AsyncGenerator<AgentEvent, void, undefined> {
    const { toolkit } = this.#setup;
    const calls = [...this.#calls.values()].map(asToolCall);
    const options = this.#options();
    const events = source === undefined ? toolkit.runBatch(calls, options) : source(options);
    for await (const event of events) yield* this.#take(event);
    if (!this.#someWait) yield* this.#missing();
  }

  /** Whether a call was looked at, or is still to begin since another waits. */
  hasBegun(callId: string): boolean {
    return this.#decided.has(callId) || this.#calls.get(callId)?.state === "finished";
  }

  #options(): TurnOptions {
    const { middlewares, signal, toolkit } = this.#setup;
    const around = actingOnion(middlewares);
    const review = reviewOnion(middlewares, (request) => this.#allowed.set(request.callId, request));
    return {
      signal,
      approver: this.#approver,
      external: this.#external(toolkit.external),
      ...(around === undefined ? {} : { around }),
      ...(review === undefined ? {} : { review }),
    };
  }

  readonly #approver: Approver = async (request, signal) => {
    const by = this.#answered(request);
    if (by !== undefined) return { approved: true, by };
    const answer = await this.#setup.toolkit.approver?.(request, signal);
    if (answer === undefined) this.#untaken.add(request.callId);
    else if (answer.approved && answer.input !== undefined) {
      this.#edits.set(request.callId, JSON.stringify(answer.input));
    }
    return answer;
  };

  /** Who has said yes to this very question already. */
  #answered(request: ApprovalRequest): string | undefined {
    const grant = this.#grants.get(request.callId);
    if (grant !== undefined && fits(grant, this.#setup.state, request)) return grant.by;
    const allowed = this.#allowed.get(request.callId);
    // A safety question is for a person.
    if (allowed?.input !== request.input || request.decision.bypassImmune === true) return undefined;
    return "middleware";
  }

  #external(own: ExternalExecutor | undefined): ExternalExecutor {
    return async (request, signal) => {
      const given = await own?.(request, signal);
      if (given === undefined) this.#untaken.add(request.callId);
      return given;
    };
  }

  async *#take(event: GateEvent): AsyncGenerator<AgentEvent, void, undefined> {
    const { callId } = event;
    switch (event.type) {
      case "TOOL_CALL_DECIDED":
        this.#decided.add(callId);
        yield event;
        return;
      case "REQUIRE_USER_CONFIRM":
        if (await this.#isToBeShown(event.request)) yield event;
        return;
      case "REQUIRE_EXTERNAL_EXECUTION":
        this.#handed.set(callId, event.input);
        yield event;
        return;
      case "TOOL_CALL_PARKED":
        await this.#park(callId, event.approvalId, event.recordId);
        return;
      case "TOOL_RESULT_END":
        yield* this.#end(event);
        return;
      case "TOOL_PROGRESS":
        yield event;
        return;
      default:
        if (this.#decided.has(callId) && !this.#untaken.has(callId)) yield event;
        else this.#hold(event);
    }
  }

  async #isToBeShown(request: ApprovalRequest): Promise<boolean> {
    const { toolkit, state } = this.#setup;
    const { callId } = request;
    const before = [...this.#asked.values()].filter((one) => !this.#covered.has(one.callId));
    this.#asked.set(callId, request);
    if (this.#answered(request) !== undefined) return false;
    // With a person at hand the questions come one by one, and an answer settles what it settles.
    if (toolkit.approver !== undefined) return true;
    if (!(await isCovered(toolkit, state, before, request))) return true;
    this.#covered.add(callId);
    return false;
  }

  #hold(event: ResultEvent): void {
    const held = this.#held.get(event.callId);
    if (held === undefined) this.#held.set(event.callId, [event]);
    else held.push(event);
  }

  async *#end(event: ResultEnd): AsyncGenerator<AgentEvent, void, undefined> {
    const { callId, response } = event;
    const held = this.#held.get(callId) ?? [];
    this.#held.delete(callId);
    const { code } = response.metadata;
    const waits =
      this.#untaken.has(callId) &&
      ((code === "approval_required" && this.#asked.has(callId)) ||
        (code === "external" && this.#handed.has(callId)));
    if (waits) return this.#park(callId);
    const { signal } = this.#setup;
    // Left out by the batch: it can be begun when those that wait have their answers.
    if (code === "aborted" && this.#someWait && !this.#decided.has(callId) && !signal.aborted) return;
    this.#finish(callId, response);
    yield* held;
    yield event;
  }

  async #park(callId: string, approvalId?: string, recordId?: string): Promise<void> {
    const { state, withdraw } = this.#setup;
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#someWait = true;
    unpark(state, callId);
    const [request, input] = [this.#asked.get(callId), this.#handed.get(callId)];
    if (input !== undefined) {
      call.state = "submitted";
      const id = recordId === undefined ? {} : { recordId };
      state.parked.push({ callId, toolName: call.name, waitsFor: "result", input, ...id });
    } else if (request !== undefined && !this.#covered.has(callId)) {
      call.state = "asking";
      state.parked.push(waitingForPerson(request, state, approvalId));
    } else {
      call.state = "pending";
      if (approvalId !== undefined) await withdraw(approvalId);
    }
  }

  #finish(callId: string, response: ToolResponse): void {
    const call = this.#calls.get(callId);
    if (call === undefined || call.state === "finished") return;
    const edited = this.#edits.get(callId);
    if (edited !== undefined) editCall(call, edited);
    finishCall(this.#setup.state, call, response);
  }

  /** A middleware may have kept the result of a call; the model needs one all the same. */
  *#missing(): Generator<AgentEvent, void, undefined> {
    const left = [...this.#calls.values()].filter((call) => call.state !== "finished");
    const text = "The call ended without a result.";
    for (const { id: callId, name: toolName } of left) {
      const response = textResponse(callId, "error", text, "internal");
      this.#finish(callId, response);
      yield { type: "TOOL_RESULT_START", callId, toolName };
      yield { type: "TOOL_RESULT_TEXT_DELTA", callId, delta: text };
      yield { type: "TOOL_RESULT_END", callId, state: "error", response };
    }
  }
}

/** A call as the gate takes it. */
export function asToolCall({ id, name, input }: ToolCallBlock): ToolCall {
  return { id, name, input };
}

/** A response that is one text. */
export function textResponse(
  callId: string,
  state: ToolResponse["state"],
  text: string,
  code: string,
): ToolResponse {
  const block = { type: "text", id: crypto.randomUUID(), text } as const;
  return new ToolResponse(callId, [block], state, { code, message: text });
}
