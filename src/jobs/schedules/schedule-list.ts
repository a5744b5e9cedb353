import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import { scheduleLine } from "./schedule-line.ts";
import { ScheduleTool } from "./schedule-tool.ts";

/** The session's schedules. */
export class ScheduleList extends ScheduleTool {
  readonly name = "schedule_list";
  readonly description: string =
    "Lists this session's schedules: their times, the next one, and the job of the last.";
  readonly inputSchema: JsonSchema = { type: "object", properties: {}, additionalProperties: false };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;

  override effects(): readonly Effect[] {
    return [];
  }

  override async call(_input: ToolInput, { state }: CallContext): Promise<ToolChunk> {
    const schedules = await this.engine.schedules();
    const own = schedules.filter(({ job }) => job.sessionId === state?.sessionId);
    const text = own.length === 0 ? "There are no schedules." : own.map(scheduleLine).join("\n");
    return toolChunk({ text, state: "success", metadata: { names: own.map(({ name }) => name) } });
  }
}
