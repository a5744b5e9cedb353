import { type ContentBlock, type ToolChunk, textBlock, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { ToolgateError } from "../errors.ts";
import type { AgentState } from "../state.ts";
import type { CallContext, JsonSchema, ToolInput } from "../tool.ts";
import { ToolBase, type ToolBaseOptions } from "../tool-base.ts";
import type { MovedCalls } from "./background/background-calls.ts";
import type { MovedCall } from "./background/moved-call.ts";
import { jobAnswer } from "./bash-output.ts";
import { jobsOf } from "./shell-jobs.ts";

const MAX_WAIT_MS = 600_000;
/** Characters of an output that are shown with the news of its end. */
const NEWS_CHARS = 8000;

/** What {@link BackgroundOutput} and `BackgroundStop` take. */
export interface BackgroundToolOptions extends ToolBaseOptions {
  /** The calls that were moved: of the tools that have its middleware. */
  readonly calls: MovedCalls;
}

/** Reads what a call in the background has put out since the last time, and tells of those that have ended. */
export class BackgroundOutput extends ToolBase implements AsyncDisposable {
  readonly name = "BackgroundOutput";
  readonly description: string = [
    "Answers the output of a call in the background since it was last read, and whether it still runs or how it ended.",
    "Takes the ids of calls that were moved there (bg_1) and of commands that were started there (bash_1).",
    "wait_ms waits that long at most for new output or the end.",
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      id: { type: "string", description: "What the call answered when it was moved." },
      wait_ms: { type: "integer", minimum: 0, maximum: MAX_WAIT_MS, description: "Milliseconds. Default 0." },
    },
    required: ["id"],
    additionalProperties: false,
  };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
  override readonly isStateInjected = true;
  readonly boundsOwnAnswers = true;
  readonly #calls: MovedCalls;

  constructor({ calls, ...base }: BackgroundToolOptions) {
    super(base);
    this.#calls = calls;
  }

  override effects(): readonly Effect[] {
    return [];
  }

  /** Tells of calls that have ended, each once; what was read since its end counts as told. */
  news({ sessionId }: AgentState): readonly string[] {
    return this.#calls
      .list(sessionId)
      .filter(({ state, isTold }) => state !== undefined && !isTold)
      .map(endText);
  }

  override async call({ id, wait_ms: waitMs }: ToolInput, context: CallContext): Promise<ToolChunk> {
    const job = jobsOf(context).get(String(id));
    const wait = typeof waitMs === "number" ? waitMs : 0;
    if (job !== undefined) {
      await job.news(wait, context.signal);
      return jobAnswer(job, await job.read());
    }
    const call = callOf(this.#calls, context, String(id));
    await call.news(wait, context.signal);
    return callAnswer(call);
  }

  /** Stops those that were moved. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
  }
}

/** A call of the session that asks. @throws ToolgateError `not_found` */
export function callOf(calls: MovedCalls, { sessionId }: CallContext, id: string): MovedCall {
  if (sessionId !== undefined) return calls.get(sessionId, id);
  throw new ToolgateError("not_found", "There is no session whose calls could be in the background.");
}

/** The answer about a call: what it put out since it was last read, then how it stands. */
export function callAnswer(call: MovedCall): ToolChunk {
  const content = call.read();
  return toolChunk({
    content: [...content, textBlock(`\n[${call.id} (${call.toolName}) ${call.standing}.]`)],
    state: "success",
    metadata: {
      backgroundId: call.id,
      running: call.state === undefined,
      ...(call.state === undefined ? {} : { state: call.state }),
    },
  });
}

function endText(call: MovedCall): string {
  const text = call.read().map(blockText).join("");
  const shown = text.length > NEWS_CHARS ? `…${text.slice(-NEWS_CHARS)}` : text;
  return `The ${call.toolName} call that went on in the background as ${call.id} has ended: ${call.state}.\n\n${shown}`;
}

function blockText(block: ContentBlock): string {
  return block.type === "text" ? block.text : `\n[${block.name ?? "data"}, ${block.source.mediaType}]`;
}
