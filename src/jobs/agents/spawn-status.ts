import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import { JobTool } from "./job-tool.ts";
import { jobLine } from "./job-words.ts";
import { jobOf, ownJobs } from "./parent.ts";

/** Says how a job and those below it stand, or all that there are. */
export class SpawnStatus extends JobTool {
  readonly name = "spawn_status";
  readonly description: string =
    "Answers how your sub-agents and workflows stand; with an id, that one and what is below it.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: { id: { type: "string", description: "What spawn or workflow_run answered. Default: all." } },
    additionalProperties: false,
  };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;

  override async call({ id }: ToolInput, _context: CallContext): Promise<ToolChunk> {
    const { engine } = this.desk;
    if (typeof id !== "string") {
      const jobs = await ownJobs(engine, this.parent);
      return toolChunk({
        text: jobs.length === 0 ? "There are none." : jobs.map(jobLine).join("\n"),
        state: "success",
        metadata: { jobs: jobs.map(({ id: jobId, status }) => ({ jobId, status })) },
      });
    }
    const job = await jobOf(engine, this.parent, id);
    const below = (await engine.list({ treeOf: id })).items.filter((one) => one.id !== id).toReversed();
    const lines = [jobLine(job), ...below.map((one) => `  ${jobLine(one)}`)];
    return toolChunk({
      text: lines.join("\n"),
      state: "success",
      metadata: { jobId: id, status: job.status },
    });
  }
}
