import { ToolgateError } from "../../errors.ts";
import type { JobEngine } from "../engine.ts";
import type { Job } from "../job.ts";
import { slotJobs } from "./view.ts";

/**
 * Lets a workflow that failed or was stopped go on with what isn't done: agents that failed go on from their last step, those that were
 * blocked get their turn.
 * @throws ToolgateError `stale` when it hasn't ended, or is completed
 */
export async function resumeWorkflow(engine: JobEngine, job: Job): Promise<void> {
  if (job.status !== "failed" && job.status !== "cancelled") {
    throw new ToolgateError("stale", `${job.id} is ${job.status}: there is nothing to resume.`);
  }
  // First those below: the workflow waits for them, and would take them as they are.
  for (const { id, status } of (await slotJobs(engine, job.id)).values()) {
    if (status === "failed" || status === "cancelled") await engine.resume(id);
  }
  await engine.resume(job.id);
}
