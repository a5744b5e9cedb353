import { noSuchJob } from "../core/job-error.ts";
import type { JobEvent } from "../job.ts";
import type { NewEvent } from "../ledger.ts";
import type { Parts } from "./parts.ts";
import { parsed } from "./rows.ts";

const MAX_EVENTS = 1000;

/** Writes events down under their jobs' next numbers. */
export async function report({ database, line }: Parts, events: readonly NewEvent[]): Promise<void> {
  // By id, so that two processes that tell of the same jobs don't wait for each other.
  const ids = [...new Set(events.map(({ jobId }) => jobId))].toSorted();
  await database.transaction(async ({ rows }) => {
    for (const id of ids) {
      const own = events.filter(({ jobId }) => jobId === id);
      const progress = own.findLast((one) => one.progress !== undefined)?.progress;
      await rows(
        "report",
        `WITH told AS (
           UPDATE $jobs.jobs SET events = events + $2, progress = coalesce($3, progress) WHERE id = $1 RETURNING events
         )
         INSERT INTO $jobs.events (job_id, seq, body)
         SELECT $1, told.events - $2 + one.at, one.body FROM told, unnest($4::text[]) WITH ORDINALITY AS one (body, at)`,
        [
          id,
          own.length,
          progress === undefined ? null : JSON.stringify(progress),
          own.map(({ jobId, ...body }) => JSON.stringify(body)),
        ],
      );
    }
  });
  line.tell(ids);
}

/** A job's events after one of them. */
export async function events({ database }: Parts, id: string, after: number): Promise<readonly JobEvent[]> {
  const rows = await database.rows(
    "events",
    `SELECT seq, body FROM $jobs.events WHERE job_id = $1 AND seq > $2 ORDER BY seq LIMIT ${MAX_EVENTS}`,
    [id, after],
  );
  if (rows.length === 0) {
    const [job] = await database.rows("exists", "SELECT id FROM $jobs.jobs WHERE id = $1", [id]);
    if (job === undefined) throw noSuchJob(id);
  }
  return rows.flatMap(({ seq, body }) => {
    const event = parsed<Omit<JobEvent, "seq" | "jobId">>(body);
    return event === undefined ? [] : [{ ...event, seq: Number(seq), jobId: id }];
  });
}
