import type { ServerContext } from "@modelcontextprotocol/server";
import type { GateEvent, ToolCall } from "../event.ts";
import type { ToolResponse } from "../response.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../tool.ts";

/** Where a call has got to: a person has to be asked, or it has ended. */
export type CallStep =
  | { readonly kind: "question"; readonly request: ApprovalRequest }
  | {
      readonly kind: "ended";
      readonly response: ToolResponse;
      /** What this client could not put to a person. */
      readonly unanswered: ApprovalRequest | undefined;
    };

/** Runs a call through the gate. */
export type RunCall = (call: ToolCall, signal: AbortSignal) => AsyncIterable<GateEvent>;

interface Question {
  readonly request: ApprovalRequest;
  readonly answer: (answer: ApprovalAnswer | undefined) => void;
}

/** How often a silent call says that it is alive, to clients that count progress as a sign of life. */
const HEARTBEAT_MS = 10_000;
/** Least time between two notifications about the same call. */
const PROGRESS_GAP_MS = 250;

/**
 * One call through the gate, which may outlive the request that began it: in the newer protocol a question to a person ends
 * the request, and the answer comes with the next one.
 */
export class GuardedCall {
  readonly call: ToolCall;
  readonly #abort = new AbortController();
  readonly #startedAt = performance.now();
  /** The step on its way; the next one takes its place when it is collected. */
  #step: PromiseWithResolvers<CallStep> = Promise.withResolvers();
  #question: Question | undefined;
  #unanswered: ApprovalRequest | undefined;
  #context: ServerContext | undefined;
  #progress = 0;
  #lastNotifiedAt = Number.NEGATIVE_INFINITY;

  constructor(call: ToolCall) {
    this.call = call;
  }

  /** What the person was asked, while the question is open. */
  get request(): ApprovalRequest | undefined {
    return this.#question?.request;
  }

  /**
   * Begins the call; once. The gate may ask at once, so whoever takes its questions must know the call by then. Settles when it
   * has ended, whether or not anybody collects how.
   */
  start(run: RunCall): Promise<void> {
    return this.#drive(run);
  }

  /**
   * Serves one request of the client: progress goes there, and its cancellation stops the call. Settles with the next step.
   * The signal is listened to as long as the request is open, so that a question can be cancelled too.
   */
  async next(context: ServerContext): Promise<CallStep> {
    this.#context = context;
    const { signal } = context.mcpReq;
    const cancel = () => {
      if (this.#context === context) this.#abort.abort(signal.reason);
    };
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    const heartbeat = setInterval(() => this.#notify(`still running (${this.#seconds()} s)`), HEARTBEAT_MS);
    try {
      const step = await this.#step.promise;
      if (step.kind === "question") {
        this.#step = Promise.withResolvers();
        // In the newer protocol (its requests carry an envelope) this request ends with the question, and its signal
        // aborts with its connection; in the older one it stays, and cancelling it cancels the question.
        if (context.mcpReq.envelope !== undefined) this.#context = undefined;
      }
      return step;
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** Puts the gate's question to the client; settles with the answer, `undefined` when none will come. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
    return new Promise((settle) => {
      const answer = (given: ApprovalAnswer | undefined) => {
        this.#question = undefined;
        signal.removeEventListener("abort", unanswered);
        settle(given);
      };
      const unanswered = () => answer(undefined);
      signal.addEventListener("abort", unanswered, { once: true });
      this.#question = { request, answer };
      this.#step.resolve({ kind: "question", request });
    });
  }

  /** Gives the person's answer. */
  answer(answer: ApprovalAnswer | undefined): void {
    this.#question?.answer(answer);
  }

  /** Notes a question that can't be put to this client. */
  leaveUnanswered(request: ApprovalRequest): void {
    this.#unanswered = request;
  }

  /** Stops whatever the call has running. */
  stop(reason: unknown): void {
    this.#abort.abort(reason);
  }

  async #drive(run: RunCall): Promise<void> {
    try {
      for await (const event of run(this.call, this.#abort.signal)) this.#take(event);
    } catch (error) {
      // Nobody may be waiting right now; the next who does is told.
      this.#step.promise.catch(() => undefined);
      this.#step.reject(error);
    }
  }

  #take(event: GateEvent): void {
    switch (event.type) {
      case "TOOL_RESULT_END":
        this.#step.resolve({ kind: "ended", response: event.response, unanswered: this.#unanswered });
        return;
      case "TOOL_PROGRESS":
        this.#notify(event.message, event.done, event.total);
        return;
      case "TOOL_RESULT_TEXT_DELTA":
        this.#notify(lastLine(event.delta));
        return;
      default:
    }
  }

  #notify(message: string, done?: number, total?: number): void {
    const context = this.#context;
    const progressToken = context?.mcpReq._meta?.progressToken;
    const now = performance.now();
    if (context === undefined || progressToken === undefined) return;
    if (now - this.#lastNotifiedAt < PROGRESS_GAP_MS) return;
    this.#lastNotifiedAt = now;
    // The protocol wants every value above the one before, whatever a tool counts.
    this.#progress = Math.max(this.#progress + 1, done ?? 0);
    const params = {
      progressToken,
      progress: this.#progress,
      message,
      ...(total === undefined ? {} : { total }),
    };
    // A client that is gone cancels the call by itself; there is nobody to tell.
    context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#startedAt) / 1000);
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.slice(0, 200) ?? "";
}
