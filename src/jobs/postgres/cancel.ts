import { noSuchJob } from "../core/job-error.ts";
import type { Row } from "./database.ts";
import { FREED, free } from "./freed.ts";
import { type Parts, statusEvent } from "./parts.ts";

/** Cancels a job and all below it; answers those that hadn't ended. */
export async function cancel(
  parts: Parts,
  id: string,
  reason: string | undefined,
): Promise<readonly string[]> {
  const [job] = await parts.database.rows("exists", "SELECT id FROM $jobs.jobs WHERE id = $1", [id]);
  if (job === undefined) throw noSuchJob(id);
  return end(parts, [id], reason);
}

/** Cancels all below a job that has passed its deadline. */
export async function cancelBelow(parts: Parts, id: string): Promise<void> {
  const below = await children(parts, [id]);
  if (below.length > 0) await end(parts, below, `The job ${id} has passed its deadline.`);
}

/**
 * From the top down, level by level: a job that has ended gets no more children, and those it was given before are seen
 * on the next level.
 */
async function end(
  parts: Parts,
  top: readonly string[],
  reason: string | undefined,
): Promise<readonly string[]> {
  const ended: string[] = [];
  const freed: Row[] = [];
  for (let level = top; level.length > 0; level = await children(parts, level)) {
    const rows = await parts.database.rows(
      "cancel",
      `WITH settled AS (
         UPDATE $jobs.jobs AS jobs SET status = 'cancelled', finished_at = clock_timestamp(), worker = NULL, held = false,
           waits = NULL, waits_since = NULL, wait_until = NULL, wait_topics = NULL, wait_jobs = NULL, events = jobs.events + 1
         WHERE id = ANY($1) AND status IN ('queued', 'running', 'waiting') RETURNING id, events, session_id, queue
       ), told AS (
         INSERT INTO $jobs.events (job_id, seq, body) SELECT id, events, $2 FROM settled
       )
       SELECT id, ${FREED} FROM settled`,
      [level, statusEvent("cancelled", reason)],
    );
    ended.push(...rows.map((row) => String(row.id)));
    freed.push(...rows);
  }
  parts.line.tell(ended, true);
  for (const row of freed) await free(parts, row);
  return ended;
}

async function children(parts: Parts, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await parts.database.rows("children", "SELECT id FROM $jobs.jobs WHERE parent_id = ANY($1)", [
    ids,
  ]);
  return rows.map(({ id }) => String(id));
}
