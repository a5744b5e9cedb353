import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import { ToolgateError } from "../../errors.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import { ScheduleTool } from "./schedule-tool.ts";

/** Ends one of the session's schedules. */
export class ScheduleDelete extends ScheduleTool {
  readonly name = "schedule_delete";
  readonly description: string = "Ends one of this session's schedules. Agents that it has started go on.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: { name: { type: "string", description: "What it is called." } },
    required: ["name"],
    additionalProperties: false,
  };

  /** It only takes back what the session itself has asked for. */
  override effects(): readonly Effect[] {
    return [];
  }

  override async call({ name: given }: ToolInput, { state }: CallContext): Promise<ToolChunk> {
    const name = String(given);
    const schedules = await this.engine.schedules();
    const own = schedules.find((one) => one.name === name && one.job.sessionId === state?.sessionId);
    if (own === undefined || !(await this.engine.unschedule(name))) {
      throw new ToolgateError("not_found", `This session has no schedule ${JSON.stringify(name)}.`, {
        hint: "schedule_list names them.",
      });
    }
    return toolChunk({ text: `The schedule ${name} has ended.`, state: "success", metadata: { name } });
  }
}
