import { setTimeout as wait } from "node:timers/promises";
import type { AssistantMessage, Usage } from "../message.ts";
import type { AgentEvent } from "./event.ts";
import type { AgentLimits } from "./limits.ts";
import type { ModelRequest, ModelStream } from "./model.ts";
import { dropped, mayPass, messageOf, retryAfterMs, silent } from "./model-failure.ts";
import { TurnReader } from "./turn-reader.ts";
import { usageOf } from "./usage.ts";

/** How a whole turn ended. */
export interface KeptEnd {
  readonly usage: Usage;
  /** Calls whose arguments are not all there. */
  readonly truncated: ReadonlySet<string>;
}

/** What a turn of the model is made with. */
export interface TurnSetup {
  readonly request: ModelRequest;
  readonly send: (request: ModelRequest) => Promise<ModelStream>;
  readonly signal: AbortSignal;
  readonly limits: AgentLimits;
  readonly replyId: string;
  readonly usedIds: Set<string>;
  /** Takes what the model said; without an end, what it had said when it broke off. */
  readonly keep: (message: AssistantMessage, end?: KeptEnd) => void;
}

/**
 * One turn of the model: sends the request, again after a while when the connection fails before anything came, and shows what comes.
 * @throws what made the turn fail; what had come is kept
 */
export async function* modelTurn(setup: TurnSetup): AsyncGenerator<AgentEvent, void, undefined> {
  const { limits, signal, replyId } = setup;
  for (let attempt = 1; ; attempt++) {
    const reader = new TurnReader(setup.usedIds);
    let isWhole = false;
    try {
      yield* oneAttempt(setup, reader);
      isWhole = true;
      return;
    } catch (error) {
      if (signal.aborted || reader.hasContent || attempt > limits.modelRetries || !mayPass(error))
        throw error;
      const delayMs = delayOf(attempt, error, limits);
      yield { type: "MODEL_CALL_RETRY", replyId, attempt, delayMs, message: messageOf(error) };
      await wait(delayMs, undefined, { signal });
    } finally {
      // Broken off, cancelled, or nobody reads any more: what was said stays said.
      if (!isWhole && reader.hasContent) {
        const message = await reader.message(true);
        if (message.content.length > 0) setup.keep(message);
      }
    }
  }
}

async function* oneAttempt(
  setup: TurnSetup,
  reader: TurnReader,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { limits, replyId, keep } = setup;
  using quiet = new Silence(limits.modelSilenceMs, setup.signal);
  const { stream } = await quiet.race(setup.send({ ...setup.request, abortSignal: quiet.signal }));
  const parts = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await quiet.race(parts.read());
      if (done) break;
      yield* reader.read(value);
    }
  } finally {
    // Whoever leaves early lets the connection go as well.
    parts.cancel().catch(() => undefined);
  }
  const { end } = reader;
  if (end === undefined || end.reason === "error") throw dropped();
  const message = await reader.message(false);
  const usage = usageOf(end.usage);
  keep(message, { usage, truncated: reader.truncated });
  yield { type: "MODEL_CALL_END", replyId, usage, finishReason: end.reason };
}

function delayOf(attempt: number, error: unknown, { retryDelayMs, maxRetryDelayMs }: AgentLimits): number {
  const grown = retryDelayMs * 2 ** (attempt - 1);
  // Spread out, so that many agents don't come back at the same moment.
  const own = grown * (0.75 + Math.random() / 2);
  return Math.round(Math.min(maxRetryDelayMs, Math.max(own, retryAfterMs(error) ?? 0)));
}

/** Gives up on a model that says nothing for too long, and at its caller's wish. */
class Silence implements Disposable {
  readonly #ms: number;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #onAbort = (): void => this.#controller.abort(this.#caller.reason);

  constructor(ms: number, caller: AbortSignal) {
    this.#ms = ms;
    this.#caller = caller;
    if (caller.aborted) this.#onAbort();
    else caller.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits, but not for ever, and not after the signal: not every provider listens to it. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    const timer = setTimeout(() => this.#controller.abort(silent(this.#ms)), this.#ms);
    const stop = Promise.withResolvers<never>();
    const onAbort = (): void => stop.reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.catch(() => undefined);
    try {
      return await Promise.race([work, stop.promise]);
    } finally {
      stop.promise.catch(() => undefined);
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  [Symbol.dispose](): void {
    this.#caller.removeEventListener("abort", this.#onAbort);
  }
}
