import type { JobEngine } from "../../jobs/engine.ts";
import { FINAL_STATUSES } from "../../jobs/job.ts";
import { lookOn } from "./look-on.ts";

/** A job that a schedule of a session has started. */
export interface ScheduledJob {
  readonly sessionId: string;
  readonly jobId: string;
}

/** Tells of the jobs that sessions' schedules start, until the signal aborts: each once. Those that had ended before count as told. */
export async function watchSchedules(
  engine: Pick<JobEngine, "schedules" | "get">,
  tell: (job: ScheduledJob) => void,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, string>();
  let isFirst = true;
  const look = async (): Promise<void> => {
    for (const { name, job, lastJobId } of await engine.schedules()) {
      if (lastJobId === undefined || seen.get(name) === lastJobId) continue;
      const isOver = isFirst && (await hasEnded(engine, lastJobId));
      seen.set(name, lastJobId);
      if (job.sessionId !== undefined && !isOver) tell({ sessionId: job.sessionId, jobId: lastJobId });
    }
    isFirst = false;
  };
  await lookOn(look, signal);
}

async function hasEnded(engine: Pick<JobEngine, "get">, id: string): Promise<boolean> {
  const job = await engine.get(id);
  return job === undefined || FINAL_STATUSES.includes(job.status);
}
