import { ToolgateError } from "../errors.ts";
import type { AssistantMessage, ToolCallBlock, Usage } from "../message.ts";
import type { AgentState } from "../state.ts";
import { Acting, type ActSetup, textResponse } from "./acting.ts";
import { waitingText } from "./answers.ts";
import type { AgentConfig } from "./config.ts";
import { finishCall, lastTurn, openCalls, say } from "./conversation.ts";
import type { AgentEvent, AgentInput, AgentReply, ReplyError, ReplyReason } from "./event.ts";
import { replyOnion } from "./middleware.ts";
import { replyError } from "./model-failure.ts";
import { reason } from "./reasoning.ts";
import { type Resumption, resumption, withdrawAll } from "./resumption.ts";
import { noUsage } from "./usage.ts";

/** How a reply ended. */
interface Outcome {
  readonly reason: ReplyReason;
  readonly error?: ReplyError;
}

/** One reply: from what it is made to up to where it ends or has to wait. */
export class ReplyRun {
  readonly #config: AgentConfig;
  readonly #state: AgentState;
  readonly #acting: ActSetup;
  readonly #signal: AbortSignal;
  /** Results that calls get since the reply ends without them. */
  readonly #closing: AgentEvent[] = [];
  #id = "";
  /** Where its messages begin. */
  #since = 0;
  #isRoundOpen = false;
  #usage: Usage = noUsage();
  #outcome: Outcome | undefined;

  constructor(config: AgentConfig, signal: AbortSignal) {
    const { toolkit, middlewares, store } = config;
    this.#config = config;
    this.#state = toolkit.state;
    this.#signal = signal;
    this.#acting = {
      toolkit,
      state: toolkit.state,
      middlewares,
      signal,
      withdraw: async (id) => void (await store?.withdraw(id)),
    };
  }

  /** What happens, with the middlewares round it. */
  events(input: AgentInput | undefined): AsyncIterable<AgentEvent> {
    return replyOnion(this.#config.middlewares, (given) => this.#events(given))(input);
  }

  /** What it came to. */
  result(): AgentReply {
    const { parked } = this.#state;
    const { reason: why, error } = this.#outcome ?? { reason: "interrupted" };
    const message = this.#state.messages
      .slice(this.#since)
      .findLast((one): one is AssistantMessage => one.role === "assistant");
    return {
      id: this.#id,
      reason: why,
      ...(message === undefined ? {} : { message }),
      text: message === undefined ? "" : textOf(message),
      waiting: why === "parked" ? [...parked] : [],
      usage: { ...this.#usage },
      ...(error === undefined ? {} : { error }),
    };
  }

  async *#events(input: AgentInput | undefined): AsyncGenerator<AgentEvent, void, undefined> {
    const start = await this.#begin(input);
    if (start === undefined) return;
    let outcome: Outcome | undefined;
    try {
      yield { type: "REPLY_START", replyId: this.#id, resumed: start.isResumed };
      await this.#config.save();
      outcome = yield* this.#work(start.resumption);
    } catch (error) {
      outcome = this.#signal.aborted ? { reason: "interrupted" } : failed(error);
    } finally {
      // Without an outcome nobody reads any more.
      outcome = await this.#close(outcome ?? { reason: "interrupted" });
    }
    yield* this.#closing;
    yield this.#lastEvent(outcome);
  }

  /** Takes the input in. Nothing has changed when it throws; `undefined` when there is nothing to do. */
  async #begin(
    input: AgentInput | undefined,
  ): Promise<{ readonly isResumed: boolean; readonly resumption: Resumption | undefined } | undefined> {
    const state = this.#state;
    const isMessage = typeof input === "string" || Array.isArray(input);
    if (isMessage) {
      if (state.parked.length > 0) {
        throw new ToolgateError("usage", "The session waits for answers before it can take a message.", {
          hint: waitingText(state),
        });
      }
      this.#leaveBehind();
      say(
        state,
        typeof input === "string" ? [{ type: "text", id: crypto.randomUUID(), text: input }] : input,
      );
      state.reply = { id: crypto.randomUUID(), iterations: 0, usage: noUsage() };
      this.#note(state.messages.length);
      return { isResumed: false, resumption: undefined };
    }
    const answers = await resumption(this.#config, state, input);
    if (answers === "nothing") {
      this.#outcome = { reason: "interrupted" };
      return undefined;
    }
    state.reply ??= { id: crypto.randomUUID(), iterations: 0, usage: noUsage() };
    const turn = lastTurn(state);
    this.#note(turn === undefined ? state.messages.length : state.messages.indexOf(turn));
    return { isResumed: true, resumption: answers };
  }

  #note(since: number): void {
    const { reply } = this.#state;
    if (reply !== undefined) [this.#id, this.#usage] = [reply.id, reply.usage];
    this.#since = since;
    this.#isRoundOpen = openCalls(this.#state).length > 0;
  }

  /** A process ended in the middle of a round: its calls have results all the same, for the provider to accept the conversation. */
  #leaveBehind(): void {
    const text =
      "Whether it ran, and what came of it, is not known: its process ended. Check before you call it again.";
    for (const call of openCalls(this.#state)) {
      finishCall(this.#state, call, textResponse(call.id, "interrupted", text, "unknown_outcome"));
    }
  }

  async *#work(answers: Resumption | undefined): AsyncGenerator<AgentEvent, Outcome, undefined> {
    if (answers === "interrupt") return { reason: "interrupted" };
    if (answers !== undefined) yield* answers(this.#acting);
    for (;;) {
      this.#countRound();
      const outcome = this.#standing();
      if (outcome !== undefined) return outcome;
      const open = openCalls(this.#state);
      if (open.length > 0) yield* new Acting(this.#acting, open).run();
      else yield* this.#reason();
    }
  }

  /** Where the reply has to end as the state is now. */
  #standing(): Outcome | undefined {
    const { parked, messages, reply } = this.#state;
    if (this.#signal.aborted) return { reason: "interrupted" };
    if (parked.length > 0) return { reason: "parked" };
    if (openCalls(this.#state).length > 0) return undefined;
    if (messages.at(-1)?.role === "assistant") return { reason: "completed" };
    return (reply?.iterations ?? 0) < this.#config.maxIterations ? undefined : { reason: "exceed_max_iters" };
  }

  async *#reason(): AsyncGenerator<AgentEvent, void, undefined> {
    const iteration = this.#state.reply?.iterations ?? 0;
    yield* reason(this.#config, { replyId: this.#id, iteration }, this.#signal);
    this.#isRoundOpen = hasCalls(lastTurn(this.#state));
    // Calls are begun only when the state says so: after a crash it is known what may have happened.
    if (openCalls(this.#state).length > 0) await this.#config.save();
  }

  /** A round counts when every call has its result. */
  #countRound(): void {
    const { reply } = this.#state;
    if (!this.#isRoundOpen || reply === undefined || openCalls(this.#state).length > 0) return;
    reply.iterations += 1;
    this.#isRoundOpen = false;
  }

  /** Leaves the state so that the conversation can go on, and keeps it. */
  async #close(outcome: Outcome): Promise<Outcome> {
    const state = this.#state;
    let now = outcome;
    try {
      if (outcome.reason === "interrupted") {
        await withdrawAll(this.#config.store, state.parked);
        for (const call of openCalls(state)) this.#interrupt(call);
        state.parked.length = 0;
      }
      // A reply that failed can be gone on with; one that waits is.
      if (outcome.reason !== "parked" && outcome.reason !== "error") delete state.reply;
      await this.#config.save();
    } catch (error) {
      if (now.reason !== "error") now = failed(error);
    }
    this.#outcome = now;
    return now;
  }

  #interrupt(call: ToolCallBlock): void {
    const text = `${call.name} was interrupted before it had a result.`;
    const response = textResponse(call.id, "interrupted", text, "aborted");
    finishCall(this.#state, call, response);
    const { id: callId, name: toolName } = call;
    this.#closing.push(
      { type: "TOOL_RESULT_START", callId, toolName },
      { type: "TOOL_RESULT_TEXT_DELTA", callId, delta: text },
      { type: "TOOL_RESULT_END", callId, state: "interrupted", response },
    );
  }

  #lastEvent({ reason: why, error }: Outcome): AgentEvent {
    const replyId = this.#id;
    if (why === "parked") return { type: "REPLY_PARKED", replyId, waiting: [...this.#state.parked] };
    const usage = { ...this.#usage };
    return { type: "REPLY_END", replyId, reason: why, usage, ...(error === undefined ? {} : { error }) };
  }
}

function failed(error: unknown): Outcome {
  return { reason: "error", error: replyError(error) };
}

function hasCalls(turn: AssistantMessage | undefined): boolean {
  return turn?.content.some(({ type }) => type === "tool_call") ?? false;
}

function textOf({ content }: AssistantMessage): string {
  let text = "";
  for (const block of content) if (block.type === "text") text += block.text;
  return text;
}
