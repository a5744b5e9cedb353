import { noSuchJob } from "../core/job-error.ts";
import type { JobEvent } from "../job.ts";
import type { NewEvent } from "../ledger.ts";
import type { Parts } from "./parts.ts";
import { parsed } from "./rows.ts";

const MAX_EVENTS = 1000;

/** Writes events down under their jobs' next numbers, in one statement. */
export async function report({ database, line }: Parts, events: readonly NewEvent[]): Promise<void> {
  const jobs = new Map<string, { count: number; progress: string | null }>();
  const places = events.map(({ jobId, progress }) => {
    const job = jobs.get(jobId) ?? { count: 0, progress: null };
    job.count += 1;
    if (progress !== undefined) job.progress = JSON.stringify(progress);
    jobs.set(jobId, job);
    return job.count;
  });
  const ids = [...jobs.keys()];
  await database.rows(
    "report",
    `WITH told AS (
       UPDATE $jobs.jobs AS jobs SET events = jobs.events + new.count, progress = coalesce(new.progress, jobs.progress)
       FROM unnest($1::text[], $2::int[], $3::text[]) AS new (id, count, progress) WHERE jobs.id = new.id
       RETURNING jobs.id, jobs.events - new.count AS before
     )
     INSERT INTO $jobs.events (job_id, seq, body)
     SELECT told.id, told.before + one.place, one.body
     FROM unnest($4::text[], $5::int[], $6::text[]) AS one (id, place, body) JOIN told ON told.id = one.id`,
    [
      ids,
      [...jobs.values()].map(({ count }) => count),
      [...jobs.values()].map(({ progress }) => progress),
      events.map(({ jobId }) => jobId),
      places,
      events.map(({ jobId, ...body }) => JSON.stringify(body)),
    ],
  );
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
