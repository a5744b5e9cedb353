import type { PermissionDecision } from "../decision.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import type { Reviewer, ReviewRequest } from "../gate/review.ts";
import type { CallWrapper } from "../gate/run-batch.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { AgentEvent, AgentInput } from "./event.ts";
import type { ModelRequest, ModelStream } from "./model.ts";

/** What a step of reasoning knows about itself. */
export interface ReasoningStep {
  readonly replyId: string;
  /** Rounds before it in this reply. */
  readonly iteration: number;
}

/**
 * Wraps what an agent does. Each hook goes on with `next`; the first middleware is the outermost. An event that a hook leaves out
 * isn't shown, and the conversation is kept all the same.
 */
export interface AgentMiddleware {
  /** Round a whole reply. */
  onReply?(
    input: AgentInput | undefined,
    next: (input: AgentInput | undefined) => AsyncIterable<AgentEvent>,
  ): AsyncIterable<AgentEvent>;
  /** Round one turn of the model. */
  onReasoning?(step: ReasoningStep, next: () => AsyncIterable<AgentEvent>): AsyncIterable<AgentEvent>;
  /** Round one request to the model; also each repeated one. */
  onModelCall?(
    request: ModelRequest,
    next: (request: ModelRequest) => Promise<ModelStream>,
  ): Promise<ModelStream>;
  /** Takes the system prompt and gives the one to use; the first middleware comes first. */
  onSystemPrompt?(prompt: string): MaybePromise<string>;
  /**
   * Round the verdict on a call. May make it stricter, or answer with `allow` what would be asked of a person; a safety question
   * stays one, and nothing makes an allow of a deny. Called each time a call is judged.
   */
  onCheckPermission?(
    request: ReviewRequest,
    next: () => Promise<PermissionDecision>,
  ): MaybePromise<PermissionDecision>;
  /** Round a whole call: judging, asking, running. A call that is put in its place is judged as what it is, under the same id. */
  onActing?(call: ToolCall, next: (call: ToolCall) => AsyncIterable<GateEvent>): AsyncIterable<GateEvent>;
}

/** The middlewares that have a hook, with it, innermost first. */
function withHook<K extends keyof AgentMiddleware>(
  middlewares: readonly AgentMiddleware[],
  hook: K,
): readonly (AgentMiddleware & Required<Pick<AgentMiddleware, K>>)[] {
  const has = (one: AgentMiddleware): one is AgentMiddleware & Required<Pick<AgentMiddleware, K>> =>
    one[hook] !== undefined;
  return middlewares.filter(has).reverse();
}

/** A whole reply with its middlewares. */
export function replyOnion(
  middlewares: readonly AgentMiddleware[],
  innermost: (input: AgentInput | undefined) => AsyncIterable<AgentEvent>,
): (input: AgentInput | undefined) => AsyncIterable<AgentEvent> {
  return withHook(middlewares, "onReply").reduce(
    (next, one) => (input) => one.onReply(input, next),
    innermost,
  );
}

/** One turn of the model with its middlewares. */
export function reasoningOnion(
  middlewares: readonly AgentMiddleware[],
  step: ReasoningStep,
  innermost: () => AsyncIterable<AgentEvent>,
): () => AsyncIterable<AgentEvent> {
  return withHook(middlewares, "onReasoning").reduce(
    (next, one) => () => one.onReasoning(step, next),
    innermost,
  );
}

/** One request to the model with its middlewares. */
export function modelOnion(
  middlewares: readonly AgentMiddleware[],
  innermost: (request: ModelRequest) => Promise<ModelStream>,
): (request: ModelRequest) => Promise<ModelStream> {
  return withHook(middlewares, "onModelCall").reduce(
    (next, one) => (request) => one.onModelCall(request, next),
    innermost,
  );
}

/** The system prompt after all middlewares. */
export async function systemPrompt(middlewares: readonly AgentMiddleware[], prompt: string): Promise<string> {
  let now = prompt;
  for (const one of middlewares) now = (await one.onSystemPrompt?.(now)) ?? now;
  return now;
}

/** What wraps each call, if any middleware does. */
export function actingOnion(middlewares: readonly AgentMiddleware[]): CallWrapper | undefined {
  const wrappers = withHook(middlewares, "onActing");
  if (wrappers.length === 0) return undefined;
  return (call, innermost) =>
    wrappers.reduce((next, one) => (given: ToolCall) => one.onActing(given, next), innermost)(call);
}

/** What looks at each verdict, if any middleware does. `onAllowed` hears of asks that are answered with a yes. */
export function reviewOnion(
  middlewares: readonly AgentMiddleware[],
  onAllowed: (request: ReviewRequest) => void,
): Reviewer | undefined {
  const reviewers = withHook(middlewares, "onCheckPermission");
  if (reviewers.length === 0) return undefined;
  return async (request) => {
    const innermost = async (): Promise<PermissionDecision> => request.decision;
    const given = await reviewers.reduce(
      (next, one) => async () => one.onCheckPermission(request, next),
      innermost,
    )();
    if (given.behavior === "allow" && request.decision.behavior === "ask") onAllowed(request);
    return given;
  };
}
