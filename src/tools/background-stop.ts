import type { ToolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import type { CallContext, JsonSchema, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import type { MovedCalls } from "./background/background-calls.ts";
import { type BackgroundToolOptions, callAnswer, callOf } from "./background-output.ts";
import { jobAnswer } from "./bash-output.ts";
import { jobsOf } from "./shell-jobs.ts";

/** Ends a call in the background. Touches nothing but this session's. */
export class BackgroundStop extends ToolBase {
  readonly name = "BackgroundStop";
  readonly description: string =
    "Ends a call in the background (bg_1), or a command there with everything it started (bash_1), and answers the output that wasn't read yet.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: { id: { type: "string", description: "What the call answered when it was moved." } },
    required: ["id"],
    additionalProperties: false,
  };
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

  override async call({ id }: ToolInput, context: CallContext): Promise<ToolChunk> {
    const job = jobsOf(context).get(String(id));
    if (job !== undefined) {
      await job.stop();
      return jobAnswer(job, await job.read());
    }
    const call = callOf(this.#calls, context, String(id));
    await call.stop();
    return callAnswer(call);
  }
}
