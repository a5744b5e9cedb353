import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import type { CallContext, JsonSchema, ToolInput } from "../tool.ts";
import { ToolBase, type ToolBaseOptions } from "../tool-base.ts";
import { endNotes } from "./bash/answer.ts";
import { jobStatus, type ShellJob } from "./bash/shell-job.ts";
import { jobNamed, jobsOf, type ShellJobs } from "./shell-jobs.ts";

const MAX_WAIT_MS = 600_000;

/** What {@link BashOutput} and `BashStop` take. */
export interface ShellJobToolOptions extends ToolBaseOptions {
  /** The background commands of a `Bash` made with the same object. @default those of the session */
  readonly jobs?: ShellJobs;
}

/** Reads what a background command has put out since the last time. */
export class BashOutput extends ToolBase {
  readonly name = "BashOutput";
  readonly description: string = [
    "Answers the output of a background command since it was last read, and whether it still runs or how it ended.",
    "wait_ms waits that long at most for new output or the end.",
    "filter shows only lines that contain this text; the others count as read too.",
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      id: { type: "string", description: "What Bash answered when it started the command." },
      wait_ms: { type: "integer", minimum: 0, maximum: MAX_WAIT_MS, description: "Milliseconds. Default 0." },
      filter: { type: "string", description: "Plain text, not a pattern." },
    },
    required: ["id"],
    additionalProperties: false,
  };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
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
    const waitMs = input.wait_ms;
    await job.news(typeof waitMs === "number" ? waitMs : 0, context.signal);
    const filter = input.filter;
    const output = await job.read();
    const text = typeof filter === "string" && filter !== "" ? linesWith(output, filter) : output;
    return jobAnswer(job, text);
  }
}

/** The answer about a job: what it put out, then how it stands. */
export function jobAnswer(job: ShellJob, output: string): ToolChunk {
  const notes = job.end === undefined ? [] : endNotes(job.end, job.stopCause, job.timeoutMs ?? 0);
  const status = `${job.id} ${jobStatus(job)}.`;
  const text = [output === "" ? "(no new output)" : output, ...[status, ...notes].map((note) => `[${note}]`)];
  return toolChunk({
    text: text.join("\n"),
    state: "success",
    metadata: {
      jobId: job.id,
      running: job.running,
      ...(job.end === undefined ? {} : { exitCode: job.end.exitCode }),
      ...(job.saved ? { outputFile: job.path } : {}),
    },
  });
}

function linesWith(text: string, part: string): string {
  return text
    .split("\n")
    .filter((line) => line.includes(part))
    .join("\n");
}
