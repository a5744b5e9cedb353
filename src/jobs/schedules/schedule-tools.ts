import type { Tool } from "../../tool.ts";
import type { JobEngine } from "../engine.ts";
import { ScheduleCreate } from "./schedule-create.ts";
import { ScheduleDelete } from "./schedule-delete.ts";
import { ScheduleList } from "./schedule-list.ts";

/** What {@link scheduleTools} takes. */
export interface ScheduleToolsOptions {
  /** Said with each schedule that is made: what has to run for it to be kept to. */
  readonly note?: string;
}

/**
 * `schedule_create`, `schedule_list` and `schedule_delete`, on an engine whose workers run jobs of the kind `agent` (`agentJob`). A session
 * sees and ends its own schedules.
 */
export function scheduleTools(engine: JobEngine, { note }: ScheduleToolsOptions = {}): readonly Tool[] {
  return [new ScheduleCreate(engine, note), new ScheduleList(engine), new ScheduleDelete(engine)];
}
