import type { Job } from "../job.ts";
import type { Begun, Condition, JobEnd, RunKey } from "../ledger.ts";
import { cancelBelow } from "./cancel.ts";
import type { Queries, Row, Value } from "./database.ts";
import { FREED, free } from "./freed.ts";
import { type Parts, requeue, statusEvent, wake } from "./parts.ts";
import { readJob, readStep, WHOLE } from "./rows.ts";

/** Takes a run up. */
export async function begin(
  parts: Parts,
  key: RunKey,
  worker: string,
  perSession?: number,
): Promise<Begun | undefined> {
  const { database } = parts;
  const row =
    perSession === undefined
      ? await beginRow(database, key, worker)
      : await database.transaction(async (transaction) => {
          if (await isFull(transaction, key, perSession)) return undefined;
          return beginRow(transaction, key, worker);
        });
  if (row === undefined) return undefined;
  parts.line.tell([key.id]);
  // A first run has no steps yet.
  const steps =
    key.run === 1
      ? []
      : await database.rows("steps", "SELECT name, until_ms, outcome FROM $jobs.steps WHERE job_id = $1", [
          key.id,
        ]);
  return { job: readJob(row), steps: steps.map(readStep) };
}

async function beginRow(queries: Queries, { id, run }: RunKey, worker: string): Promise<Row | undefined> {
  // Also answers a run that this worker has begun: the answer of the first try may have got lost.
  const [row] = await queries.rows(
    "begin",
    `WITH begun AS (
       UPDATE $jobs.jobs AS jobs SET status = 'running', worker = $3, begun_at = now(),
         started_at = coalesce(started_at, now()), seen_steps = done.steps, events = jobs.events + 1,
         attempts = CASE WHEN done.steps > jobs.seen_steps THEN 1 ELSE jobs.attempts + 1 END
       FROM (SELECT count(*)::int AS steps FROM $jobs.steps WHERE job_id = $1) AS done
       WHERE id = $1 AND run = $2 AND (status = 'queued' OR (status = 'running' AND worker = $3))
       RETURNING jobs.*
     ), told AS (
       INSERT INTO $jobs.events (job_id, seq, body) SELECT id, events, $4 FROM begun
     )
     SELECT ${WHOLE} FROM begun`,
    [id, run, worker, statusEvent("running")],
  );
  return row;
}

/** Whether a run's session has as many running jobs as it may; the job is marked then. One process asks at a time. */
async function isFull(transaction: Queries, { id, run }: RunKey, perSession: number): Promise<boolean> {
  const [job] = await transaction.rows(
    "session",
    "SELECT session_id, queue FROM $jobs.jobs WHERE id = $1 AND run = $2 AND status = 'queued'",
    [id, run],
  );
  if (job === undefined || job.session_id === null) return false;
  const { session_id: session, queue } = job;
  await transaction.rows("session lock", "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `${queue}\n${session}`,
  ]);
  const rows = await transaction.rows(
    "hold",
    `UPDATE $jobs.jobs SET held = true WHERE id = $1 AND run = $2 AND status = 'queued' AND $5 <= (
       SELECT count(*) FROM $jobs.jobs WHERE session_id = $3 AND queue = $4 AND status = 'running')
     RETURNING id`,
    [id, run, String(session), String(queue), perSession],
  );
  return rows.length > 0;
}

/** Ends a job, and wakes those that wait for that. */
export async function settle(parts: Parts, { id, run }: RunKey, end: JobEnd): Promise<boolean> {
  const isCompleted = end.status === "completed";
  const result = isCompleted && end.result !== undefined ? JSON.stringify(end.result) : null;
  const error = isCompleted ? null : JSON.stringify(end.error);
  const message = isCompleted ? undefined : end.error.message;
  const [row] = await parts.database.rows(
    "settle",
    `WITH settled AS (
       UPDATE $jobs.jobs SET status = $3, result = $4, result_bytes = $5, error = $6, finished_at = clock_timestamp(),
         worker = NULL, events = events + 1
       WHERE id = $1 AND run = $2 AND status = 'running'
       RETURNING id, events, session_id, queue
     ), told AS (
       INSERT INTO $jobs.events (job_id, seq, body) SELECT id, events, $7 FROM settled
     )
     SELECT ${FREED} FROM settled`,
    [
      id,
      run,
      end.status,
      result,
      result === null ? null : Buffer.byteLength(result),
      error,
      statusEvent(end.status, message),
    ],
  );
  if (row === undefined) return false;
  parts.line.tell([id]);
  if (end.status === "failed" && end.withChildren === true) await cancelBelow(parts, id);
  await free(parts, row);
  return true;
}

/** Lets a job wait, unless something that it waits for is there. */
export async function suspend(
  parts: Parts,
  { id, run }: RunKey,
  conditions: readonly Condition[],
): Promise<boolean> {
  const topics = conditions.flatMap((one) => (one.for === "message" ? [one.topic] : []));
  const jobIds = conditions.flatMap((one) => one.jobIds);
  const untils = conditions.flatMap(({ untilMs }) => (untilMs === undefined ? [] : [untilMs]));
  const until = untils.length === 0 ? null : new Date(Math.min(...untils)).toISOString();
  const row = await parts.database.transaction(async (transaction) => {
    // Locks the job: a message comes before this, and is seen here, or after it, and sees the wait.
    const [locked] = await transaction.rows(
      "lock run",
      "SELECT id FROM $jobs.jobs WHERE id = $1 AND run = $2 AND status = 'running' FOR UPDATE",
      [id, run],
    );
    if (locked === undefined || (await isThere(transaction, id, topics, jobIds, until))) return undefined;
    await keepUntils(transaction, { id, run }, conditions);
    const [waiting] = await transaction.rows(
      "suspend",
      `WITH settled AS (
         UPDATE $jobs.jobs SET status = 'waiting', worker = NULL, waits = $2, waits_since = now(), wait_until = $3,
           wait_topics = $4, wait_jobs = $5, events = events + 1
         WHERE id = $1 RETURNING id, events, session_id, queue
       ), told AS (
         INSERT INTO $jobs.events (job_id, seq, body) SELECT id, events, $6 FROM settled
       )
       SELECT ${FREED} FROM settled`,
      [id, JSON.stringify(conditions), until, topics, jobIds, statusEvent("waiting", conditions[0]?.reason)],
    );
    return waiting;
  });
  if (row === undefined) return false;
  parts.line.tell([id]);
  await free(parts, { held: row.held });
  // A job that ended meanwhile looked for who waits before this one was seen to.
  if (jobIds.length > 0 && (await isThere(parts.database, id, [], jobIds, null))) await wake(parts, [id]);
  return true;
}

async function isThere(
  queries: Queries,
  id: string,
  topics: readonly string[],
  jobIds: readonly string[],
  until: string | null,
): Promise<boolean> {
  const [found] = await queries.rows(
    "is there",
    `SELECT EXISTS (SELECT FROM $jobs.messages WHERE job_id = $1 AND topic = ANY($2) AND NOT taken)
       OR EXISTS (SELECT FROM $jobs.jobs WHERE id = ANY($3) AND status IN ('completed', 'failed', 'cancelled'))
       OR coalesce($4::timestamptz <= clock_timestamp(), false) AS here`,
    [id, topics, jobIds, until],
  );
  return found?.here === true;
}

/** Times count from the first run that waited. */
async function keepUntils(
  queries: Queries,
  { id, run }: RunKey,
  conditions: readonly Condition[],
): Promise<void> {
  const timed = conditions.filter(({ untilMs }) => untilMs !== undefined);
  if (timed.length === 0) return;
  await queries.rows(
    "keep untils",
    `INSERT INTO $jobs.steps (job_id, run, name, until_ms)
     SELECT $1, $2, * FROM unnest($3::text[], $4::bigint[]) ON CONFLICT DO NOTHING`,
    [id, run, timed.map(({ name }) => name), timed.map(({ untilMs = 0 }) => Math.ceil(untilMs))],
  );
}

/** Puts a job back, as if its run had not been. */
export async function giveBack(parts: Parts, { id, run }: RunKey): Promise<boolean> {
  const ids = await parts.database.transaction((transaction) =>
    requeue(
      parts,
      transaction,
      {
        name: "given back",
        where: "id = $2 AND run = $3 AND status = 'running'",
        set: "attempts = jobs.attempts - 1",
      },
      [id, run],
    ),
  );
  parts.line.tell(ids);
  return ids.length > 0;
}

/** Those of some runs that still count. */
export async function current(parts: Parts, keys: readonly RunKey[]): Promise<readonly RunKey[]> {
  const rows = await parts.database.rows(
    "current",
    "SELECT id, run FROM $jobs.jobs WHERE id = ANY($1) AND status = 'running'",
    [keys.map(({ id }) => id)],
  );
  const running = new Map(rows.map(({ id, run }) => [String(id), Number(run)]));
  return keys.filter(({ id, run }) => running.get(id) === run);
}

/** Jobs of some kinds that wait for a message. */
export async function waiting(parts: Parts, kinds: readonly string[]): Promise<readonly Job[]> {
  const values: readonly Value[] = [kinds];
  const rows = await parts.database.rows(
    "waiting",
    `SELECT ${WHOLE} FROM $jobs.jobs WHERE status = 'waiting' AND kind = ANY($1) AND wait_topics <> '{}' ORDER BY number`,
    values,
  );
  return rows.map(readJob);
}
