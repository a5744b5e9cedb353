import { setTimeout as sleep } from "node:timers/promises";
import type { AgentMiddleware } from "../../agent/middleware.ts";
import type { ModelPart, ModelRequest, ModelStream } from "../../agent/model.ts";
import { dropped, isRefusal, mayPass, messageOf, silent } from "../../agent/model-failure.ts";
import type { JobContext } from "../handler.ts";
import { callIdsOf, type KeptTurn, streamOf, TurnKeeper } from "./model-parts.ts";
import type { Spending } from "./spending.ts";

/** A provider that didn't take what it was sent: the agent may send it again without images. */
interface Refused {
  readonly refused: { readonly message: string; readonly statusCode: number };
}

type Send = (request: ModelRequest) => Promise<ModelStream>;

const TRIES = 4;
const FIRST_DELAY_MS = 500;
const SILENCE_MS = 300_000;
/** Characters of what a model says that are told while it works. */
const TOLD_CHARS = 20_000;

/** What a sub-agent's job tells of what its model said, besides the progress. */
export interface Said {
  readonly said: string;
}

/** Makes each call of a sub-agent's model a step of its job: recorded, counted, and made once. */
export class ModelSteps implements AgentMiddleware {
  readonly #context: JobContext;
  readonly #spending: Spending;
  readonly #usedIds = new Set<string>();

  constructor(context: JobContext, spending: Spending) {
    this.#context = context;
    this.#spending = spending;
  }

  readonly onModelCall = async (request: ModelRequest, next: Send): Promise<ModelStream> => {
    const spending = this.#spending;
    spending.check();
    // The request may hold what JSON can't: it is made anew by each run, only the answer is kept.
    const turn = await this.#context.step(
      "model",
      async (signal) => ({ ...(await this.#ask(request, next, signal)), resumes: spending.resumes }),
      {
        safe: true,
      },
    );
    if ("refused" in turn) throw Object.assign(new Error(turn.refused.message), turn.refused);
    for (const id of callIdsOf(turn)) this.#usedIds.add(id);
    spending.add(turn);
    return { stream: streamOf(turn) };
  };

  async #ask(request: ModelRequest, next: Send, signal: AbortSignal): Promise<KeptTurn | Refused> {
    for (let attempt = 1; ; attempt += 1) {
      const keeper = new TurnKeeper(new Set(this.#usedIds));
      try {
        await collect(await next({ ...request, abortSignal: signal }), keeper, signal);
        this.#tell(keeper.text);
        return keeper.turn();
      } catch (error) {
        if (isRefusal(error) && hasFiles(request)) return { refused: refusalOf(error) };
        if (signal.aborted || attempt >= TRIES || !mayPass(error)) {
          this.#tell(keeper.text);
          throw error;
        }
      }
      const delayMs = FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
      await sleep(delayMs, undefined, { signal });
    }
  }

  #tell(text: string): void {
    if (text.trim() === "") return;
    const said: Said = { said: text.slice(-TOLD_CHARS) };
    const first = text.trim().split("\n", 1)[0] ?? "";
    this.#context.report(first.length > 120 ? `${first.slice(0, 119)}…` : first, { ...said });
  }
}

async function collect({ stream }: ModelStream, keeper: TurnKeeper, signal: AbortSignal): Promise<void> {
  const reader: ReadableStreamDefaultReader<ModelPart> = stream.getReader();
  const stop = Promise.withResolvers<never>();
  stop.promise.catch(() => undefined);
  const leave = (): void => stop.reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  let isWhole = false;
  try {
    for (;;) {
      const quiet = setTimeout(() => stop.reject(silent(SILENCE_MS)), SILENCE_MS);
      const { done, value } = await Promise.race([reader.read(), stop.promise]).finally(() =>
        clearTimeout(quiet),
      );
      if (done) break;
      if (value.type === "error") throw value.error;
      if (value.type === "finish") isWhole = value.finishReason.unified !== "error";
      keeper.add(value);
    }
    if (!isWhole) throw dropped();
  } finally {
    signal.removeEventListener("abort", leave);
    reader.cancel().catch(() => undefined);
  }
}

function refusalOf(error: unknown): Refused["refused"] {
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 400;
  return { message: messageOf(error), statusCode: status };
}

function hasFiles({ prompt }: ModelRequest): boolean {
  return prompt.some(({ content }) => JSON.stringify(content).includes('"type":"file"'));
}
