import type { Json } from "../../lib/json.ts";
import { noSuchJob, nothingToResume, parentEnded } from "../core/job-error.ts";
import type { JobPage, JobQuery } from "../engine.ts";
import { FINAL_STATUSES, type Job } from "../job.ts";
import { type NewJob, statusesOf } from "../ledger.ts";
import type { Transaction, Value } from "./database.ts";
import { type Parts, requeue, statusEvent } from "./parts.ts";
import { parsed, readJob, SUMMARY, WHOLE } from "./rows.ts";

const DEFAULT_LIMIT = 100;

/** Writes a job down with its first ticket, once. */
export async function add({ database, dispatch, line }: Parts, job: NewJob): Promise<void> {
  const { id, queue, priority, notBeforeMs } = job;
  const isNew = await database.transaction(async (transaction) => {
    const depth = await depthOf(transaction, job);
    const values: readonly Value[] = [
      id,
      job.kind,
      job.label ?? null,
      queue,
      priority,
      job.sessionId ?? null,
      job.parentId ?? null,
      depth,
      JSON.stringify(job.input),
      job.deadlineAt ?? null,
      statusEvent("queued"),
    ];
    const rows = await transaction.rows(
      "add",
      `WITH added AS (
         INSERT INTO $jobs.jobs (id, kind, label, status, queue, priority, session_id, parent_id, depth, input, deadline_at)
         VALUES ($1, $2, $3, 'queued', $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING RETURNING id, number, events
       ), told AS (
         INSERT INTO $jobs.events (job_id, seq, body) SELECT id, events, $11 FROM added
       )
       SELECT number FROM added`,
      values,
    );
    const [added] = rows;
    if (added === undefined) return false;
    const delay = notBeforeMs === undefined ? {} : { notBeforeMs };
    const number = Number(added.number);
    await dispatch(transaction, { id, run: 1, number, queue, depth, priority, ...delay });
    return true;
  });
  if (isNew) line.tell([id]);
}

/** One below its parent, which can't end meanwhile. */
async function depthOf({ rows }: Transaction, { id, parentId }: NewJob): Promise<number> {
  if (parentId === undefined) return 0;
  const [parent] = await rows("parent", "SELECT status, depth FROM $jobs.jobs WHERE id = $1 FOR SHARE", [
    parentId,
  ]);
  if (parent === undefined) throw noSuchJob(parentId);
  if (FINAL_STATUSES.some((one) => one === parent.status)) {
    const [known] = await rows("exists", "SELECT id FROM $jobs.jobs WHERE id = $1", [id]);
    if (known === undefined) throw parentEnded(parentId);
  }
  return Number(parent.depth) + 1;
}

/** A job, its result only when it is small enough to be shown. */
export async function get({ database }: Parts, id: string): Promise<Job | undefined> {
  const [row] = await database.rows("get", `SELECT ${WHOLE} FROM $jobs.jobs WHERE id = $1`, [id]);
  return row === undefined ? undefined : readJob(row);
}

/** A job's result, whole. */
export async function result({ database }: Parts, id: string): Promise<Json | undefined> {
  const [row] = await database.rows("result", "SELECT result FROM $jobs.jobs WHERE id = $1", [id]);
  if (row === undefined) throw noSuchJob(id);
  return parsed<Json>(row.result);
}

/** One page, newest first. */
export async function list({ database }: Parts, query: JobQuery): Promise<JobPage> {
  const { sessionId, parentId, treeOf, kind, limit = DEFAULT_LIMIT, after } = query;
  const statuses = statusesOf(query);
  const where: string[] = [];
  const values: Value[] = [];
  // Which conditions there are tells one statement from another; their order is always this.
  let name = "list ";
  const and = (letter: string, sql: string, value: Value): void => {
    name += letter;
    values.push(value);
    where.push(sql.replace("?", `$${values.length}`));
  };
  if (statuses !== undefined) and("s", "status = ANY(?)", statuses);
  if (sessionId !== undefined) and("o", "session_id = ?", sessionId);
  if (parentId !== undefined) and("p", "parent_id = ?", parentId);
  if (kind !== undefined) and("k", "kind = ?", kind);
  if (after !== undefined) and("a", "number < ?", Number(after));
  if (treeOf !== undefined) {
    and(
      "t",
      `id IN (WITH RECURSIVE tree AS (
         SELECT id FROM $jobs.jobs WHERE id = ?
         UNION SELECT below.id FROM $jobs.jobs below JOIN tree ON below.parent_id = tree.id
       ) SELECT id FROM tree)`,
      treeOf,
    );
  }
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
  values.push(limit + 1);
  const rows = await database.rows(
    name,
    `SELECT ${SUMMARY} FROM $jobs.jobs ${condition} ORDER BY number DESC LIMIT $${values.length}`,
    values,
  );
  const page = rows.slice(0, limit);
  const items = page.map((row) => {
    const { input, result: _result, resultBytes, ...summary } = readJob(row);
    return summary;
  });
  const last = page.at(-1);
  return rows.length > limit && last !== undefined ? { items, next: String(last.number) } : { items };
}

/** Lets a job that failed or was cancelled go on; steps that failed are run again. */
export async function resume(parts: Parts, id: string): Promise<void> {
  const ids = await parts.database.transaction(async (transaction) => {
    const [job] = await transaction.rows("lock", "SELECT status FROM $jobs.jobs WHERE id = $1 FOR UPDATE", [
      id,
    ]);
    if (job === undefined) throw noSuchJob(id);
    if (job.status !== "failed" && job.status !== "cancelled") {
      throw nothingToResume(id, String(job.status));
    }
    await transaction.rows(
      "forget failed steps",
      `DELETE FROM $jobs.steps WHERE job_id = $1 AND outcome LIKE '{"ok":false%'`,
      [id],
    );
    return requeue(
      parts,
      transaction,
      {
        name: "resumed",
        where: "id = $2",
        // What it may take counts anew: as long again as it had at first.
        set: `finished_at = NULL, error = NULL, attempts = 0, resumes = jobs.resumes + 1, resumed_at = clock_timestamp(),
          deadline_at = clock_timestamp() + (jobs.deadline_at - coalesce(jobs.resumed_at, jobs.created_at))`,
      },
      [id],
    );
  });
  parts.line.tell(ids);
}
