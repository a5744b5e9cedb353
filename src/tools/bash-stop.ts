import type { ToolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import type { CallContext, JsonSchema, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { jobAnswer, type ShellJobToolOptions } from "./bash-output.ts";
import { jobNamed, jobsOf, type ShellJobs } from "./shell-jobs.ts";

/** Ends a background command and everything it started. Touches nothing but what this session's Bash started. */
export class BashStop extends ToolBase {
  readonly name = "BashStop";
  readonly description: string =
    "Ends a background command and everything it started, and answers the output that wasn't read yet.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: { id: { type: "string", description: "What Bash answered when it started the command." } },
    required: ["id"],
    additionalProperties: false,
  };
  override readonly isStateInjected = true;
  readonly boundsOwnAnswers = true;
  readonly #jobs: ShellJobs | undefined;

  constructor({ jobs, ...base }: ShellJobToolOptions = {}) {
    super(base);
    this.#jobs = jobs;
  }

  override effects(): readonly Effect[] {
    return [];
  }

  override async call(input: ToolInput, context: CallContext): Promise<ToolChunk> {
    const owner = this.backend === undefined ? context : { ...context, backend: this.backend };
    const job = jobNamed(this.#jobs ?? jobsOf(owner), String(input.id));
    await job.stop();
    return jobAnswer(job, await job.read());
  }
}
