import type { ToolChunk } from "../../chunk.ts";
import { toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import type { NextHandler, ToolMiddlewareFunction } from "../../middleware.ts";
import type { CallContext, Tool, ToolInput } from "../../tool.ts";
import { MovedCall } from "./moved-call.ts";

/** When calls are moved, and what becomes of them. */
export interface BackgroundOptions {
  /** Milliseconds after which a call's answer is given without its end. @default 10000 */
  readonly afterMs?: number;
  /** Milliseconds that a moved call may run in all. @default 3600000, an hour */
  readonly maxMs?: number;
}

/** Ended ones of a session that are remembered. */
const MAX_ENDED = 64;
const AFTER_MS = 10_000;
const MAX_MS = 3_600_000;

/** Moved calls, as those see them that read and stop them. Disposing stops them, and waits until they have ended. */
export interface MovedCalls extends AsyncDisposable {
  /** A session's calls, oldest first. */
  list(sessionId: string): readonly MovedCall[];
  /** @throws ToolgateError `not_found` with the ids that there are */
  get(sessionId: string, id: string): MovedCall;
}

/**
 * Calls that take long, moved to the background: the answer so far is given with an id, and the rest is read and stopped by that. Give
 * its `middleware` to the tools that may take long, and it to `BackgroundOutput` and `BackgroundStop`. Sessions may share one, with
 * `of(sessionId)` for the tools of each; each sees its own calls. Tools that work on the session's state, and those that others carry out,
 * are never moved.
 */
export class BackgroundCalls implements MovedCalls {
  readonly #afterMs: number;
  readonly #maxMs: number;
  readonly #calls = new Map<string, MovedCall[]>();
  readonly #numbers = new Map<string, number>();

  constructor({ afterMs = AFTER_MS, maxMs = MAX_MS }: BackgroundOptions = {}) {
    this.#afterMs = afterMs;
    this.#maxMs = maxMs;
  }

  readonly middleware: ToolMiddlewareFunction = (...call) => this.after(this.#afterMs)(...call);

  /** The same with a time of its own. Milliseconds. */
  after(afterMs: number): ToolMiddlewareFunction {
    return (tool, input, next, context) => {
      const mayMove = !tool.isStateInjected && !tool.isExternalTool;
      if (!mayMove || context?.detach === undefined || context.sessionId === undefined) return next(input);
      return this.#watched(tool, input, next, { ...context, sessionId: context.sessionId, afterMs });
    };
  }

  /** The calls of one session: disposing stops these, and nobody else's. */
  of(own: string): MovedCalls {
    return {
      list: (sessionId) => this.list(sessionId),
      get: (sessionId, id) => this.get(sessionId, id),
      [Symbol.asyncDispose]: () => ended(this.list(own)),
    };
  }

  list(sessionId: string): readonly MovedCall[] {
    return this.#calls.get(sessionId) ?? [];
  }

  get(sessionId: string, id: string): MovedCall {
    const calls = this.list(sessionId);
    const found = calls.find((one) => one.id === id);
    if (found !== undefined) return found;
    const known = calls.map((one) => `${one.id} (${one.toolName}, ${one.standing})`);
    throw new ToolgateError("not_found", `No call in the background has the id ${JSON.stringify(id)}.`, {
      hint: known.length === 0 ? "There is none in this session." : `There are: ${known.join("; ")}.`,
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return ended([...this.#calls.values()].flat());
  }

  async *#watched(
    tool: Tool,
    input: ToolInput,
    next: NextHandler,
    context: CallContext & { readonly sessionId: string; readonly afterMs: number },
  ): AsyncGenerator<ToolChunk, void, undefined> {
    const stop = new AbortController();
    const forward = (): void => stop.abort(context.signal.reason);
    if (context.signal.aborted) forward();
    else context.signal.addEventListener("abort", forward, { once: true });
    let moved: MovedCall | undefined;
    const progress: CallContext["progress"] = (message, done, total) => {
      if (moved === undefined) context.progress(message, done, total);
      else moved.tell(message);
    };
    const { afterMs } = context;
    const stream = next(input, { ...context, signal: stop.signal, progress })[Symbol.asyncIterator]();
    const late = Promise.withResolvers<"late">();
    const clock = setTimeout(() => late.resolve("late"), afterMs);
    let hasEnded = false;
    try {
      for (;;) {
        const pending = stream.next();
        const step = await Promise.race([pending, late.promise]);
        if (step === "late" && !context.signal.aborted) {
          moved = this.#move(tool, context.sessionId, { stream, next: pending, stop, afterMs });
          moved.isRecorded = context.detach?.(moved.ended);
          yield answer(moved, afterMs);
          return;
        }
        const { done, value } = step === "late" ? await pending : step;
        hasEnded = done === true;
        if (done === true) return;
        yield value;
      }
    } finally {
      clearTimeout(clock);
      context.signal.removeEventListener("abort", forward);
      if (!hasEnded && moved === undefined) stream.return?.().then(undefined, () => undefined);
    }
  }

  #move(
    { name: toolName }: Tool,
    sessionId: string,
    running: {
      readonly stream: AsyncIterator<ToolChunk>;
      readonly next: Promise<IteratorResult<ToolChunk>>;
      readonly stop: AbortController;
      readonly afterMs: number;
    },
  ): MovedCall {
    const number = (this.#numbers.get(sessionId) ?? 0) + 1;
    this.#numbers.set(sessionId, number);
    const call = new MovedCall({
      id: `bg_${number}`,
      toolName,
      sessionId,
      ...running,
      maxMs: this.#maxMs,
    });
    const known = this.list(sessionId);
    const old = known.filter(({ state }) => state !== undefined).slice(0, -MAX_ENDED);
    this.#calls.set(sessionId, [...known.filter((one) => !old.includes(one)), call]);
    return call;
  }
}

async function ended(calls: readonly MovedCall[]): Promise<void> {
  await Promise.all(calls.map((call) => Promise.all([call.stop(), call.isRecorded])));
}

function answer({ id, toolName }: MovedCall, afterMs: number): ToolChunk {
  const quoted = JSON.stringify(id);
  const text = [
    `[${toolName} takes longer than ${afterMs / 1000} s and goes on in the background as ${id}.`,
    "You will be told when it has ended: don't wait for it by sleeping or asking again and again.",
    `BackgroundOutput {"id": ${quoted}} shows its output since, BackgroundStop {"id": ${quoted}} ends it.]`,
  ];
  return toolChunk({
    text: text.join("\n"),
    state: "success",
    metadata: { backgroundId: id, running: true },
  });
}
