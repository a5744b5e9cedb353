import { setTimeout as sleep } from "node:timers/promises";
import type { JobEngine, Schedule } from "../../jobs/engine.ts";
import { FINAL_STATUSES } from "../../jobs/job.ts";

const LOOK_EVERY_MS = 3000;

/** A job that a schedule of a session has started. */
export interface ScheduledJob {
  readonly sessionId: string;
  readonly jobId: string;
}

/**
 * Tells of the jobs that sessions' schedules start, until the signal aborts: each once. Those that had ended before count as told.
 */
export async function watchSchedules(
  engine: Pick<JobEngine, "schedules" | "get">,
  tell: (job: ScheduledJob) => void,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, string>();
  const look = async (isFirst: boolean): Promise<void> => {
    for (const { name, job, lastJobId } of await engine.schedules()) {
      if (lastJobId === undefined || seen.get(name) === lastJobId) continue;
      seen.set(name, lastJobId);
      if (job.sessionId === undefined || (isFirst && (await hasEnded(engine, lastJobId)))) continue;
      tell({ sessionId: job.sessionId, jobId: lastJobId });
    }
  };
  for (let isFirst = true; !signal.aborted; ) {
    await look(isFirst)
      .then(() => {
        isFirst = false;
      })
      // The database may be away for a while.
      .catch(() => undefined);
    await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function hasEnded(
  engine: Pick<JobEngine, "get">,
  id: NonNullable<Schedule["lastJobId"]>,
): Promise<boolean> {
  const job = await engine.get(id);
  return job === undefined || FINAL_STATUSES.includes(job.status);
}
