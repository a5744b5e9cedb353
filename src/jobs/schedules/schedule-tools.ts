import type { Tool } from "../../tool.ts";
import type { JobEngine } from "../engine.ts";
import { ScheduleCreate } from "./schedule-create.ts";
import { ScheduleDelete } from "./schedule-delete.ts";
import { ScheduleList } from "./schedule-list.ts";

/**
 * `schedule_create`, `schedule_list` and `schedule_delete`, on an engine whose workers run jobs of the kind `agent` (`agentJob`). A session
 * sees and ends its own schedules.
 */
export function scheduleTools(engine: JobEngine): readonly Tool[] {
  return [new ScheduleCreate(engine), new ScheduleList(engine), new ScheduleDelete(engine)];
}
