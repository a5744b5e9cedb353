import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import { JobTool } from "./job-tool.ts";
import { hasEnded, jobLine } from "./job-words.ts";
import { jobOf } from "./parent.ts";
import { forget } from "./started.ts";

/** Ends a job and all below it, and nothing else. */
export class SpawnStop extends JobTool {
  readonly name = "spawn_stop";
  readonly description: string =
    "Ends a sub-agent or a workflow with all below it, and nothing else. What it had said until then stays readable.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      id: { type: "string", description: "A job's id." },
      reason: { type: "string", description: "For the people who look at it." },
    },
    required: ["id"],
    additionalProperties: false,
  };
  override readonly isStateInjected = true;

  override async call({ id: given, reason }: ToolInput, { state }: CallContext): Promise<ToolChunk> {
    const { engine } = this.desk;
    const id = String(given);
    const job = await jobOf(engine, this.parent, id);
    const ended = await this.desk.stop(id, typeof reason === "string" ? reason : "Its parent stopped it.");
    if (state !== undefined) forget(state, id);
    const now = (await engine.get(id)) ?? job;
    const text = hasEnded(job)
      ? `It had ended already: ${jobLine(job)}`
      : `${jobLine(now)}${ended.length > 1 ? `\nWith it: ${ended.filter((one) => one !== id).join(", ")}` : ""}`;
    return toolChunk({
      text,
      state: "success",
      metadata: { jobId: id, status: now.status, stopped: [...ended] },
    });
  }
}
