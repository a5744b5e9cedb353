import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import { JobTool } from "./job-tool.ts";
import { jobLine } from "./job-words.ts";
import { visibleJob } from "./parent.ts";

/** Characters of an output that are shown at once. */
const PAGE_CHARS = 20_000;

/** Shows what a job came to, whole in parts; of one that hasn't completed, what it said last. */
export class SpawnOutput extends JobTool {
  readonly name = "spawn_output";
  readonly description: string = [
    "Answers what a sub-agent, a workflow or an agent of one has come to. Of one that hasn't completed, what it said last: that is no result.",
    `A long output comes in parts of ${PAGE_CHARS} characters: offset says where to begin.`,
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      id: { type: "string", description: "A job's id." },
      offset: { type: "integer", minimum: 0, description: "Characters to leave out. Default 0." },
    },
    required: ["id"],
    additionalProperties: false,
  };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
  readonly boundsOwnAnswers = true;

  override async call(input: ToolInput, _context: CallContext): Promise<ToolChunk> {
    const job = await visibleJob(this.desk.engine, this.parent, String(input.id));
    const output = await this.desk.output(job);
    const offset = typeof input.offset === "number" ? input.offset : 0;
    const page = output.slice(offset, offset + PAGE_CHARS);
    const end = offset + page.length;
    const rest =
      end < output.length
        ? `\n[Characters ${offset} to ${end} of ${output.length}. Go on with {"id": ${JSON.stringify(job.id)}, "offset": ${end}}.]`
        : "";
    return toolChunk({
      text: `[${jobLine(job)}]\n${page === "" ? "(no output)" : page}${rest}`,
      state: "success",
      metadata: { jobId: job.id, status: job.status, characters: output.length },
    });
  }
}
