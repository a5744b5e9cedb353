import type { Json } from "../../lib/json.ts";
import { FINAL_STATUSES, type Job, type JobError, type JobProgress, type JobStatus } from "../job.ts";
import { type Condition, type StepOutcome, type StepRecord, shownWait, type Ticket } from "../ledger.ts";
import type { Row } from "./database.ts";

const MAX_SHOWN_BYTES = 64 * 1024;
const STATUSES: readonly JobStatus[] = ["queued", "running", "waiting", ...FINAL_STATUSES];

/** Columns of a job that lists show. */
export const SUMMARY = `id, number, kind, label, status, queue, priority, session_id, parent_id, depth, created_at, started_at,
  finished_at, deadline_at, attempts, resumes, waits, waits_since, progress, error`;

/** All columns of a job; a result only when it is small enough to be shown. */
export const WHOLE: string = `${SUMMARY}, input, result_bytes, CASE WHEN result_bytes <= ${MAX_SHOWN_BYTES} THEN result END AS result`;

/** A job from its row, with what the row has of it. */
export function readJob(row: Row): Job {
  const status = statusOf(row.status);
  const since = timeOf(row.waits_since) ?? "";
  return defined({
    id: String(row.id),
    kind: String(row.kind),
    label: textOf(row.label),
    status,
    queue: String(row.queue),
    priority: Number(row.priority),
    sessionId: textOf(row.session_id),
    parentId: textOf(row.parent_id),
    depth: Number(row.depth),
    createdAt: timeOf(row.created_at) ?? "",
    startedAt: timeOf(row.started_at),
    finishedAt: timeOf(row.finished_at),
    deadlineAt: timeOf(row.deadline_at),
    attempts: Number(row.attempts),
    resumes: row.resumes === 0 ? undefined : Number(row.resumes),
    waiting: status === "waiting" ? shownWait(readConditions(row.waits), since) : undefined,
    progress: parsed<JobProgress>(row.progress),
    error: parsed<JobError>(row.error),
    input: parsed<Json>(row.input),
    result: parsed<Json>(row.result),
    resultBytes: row.result_bytes === null ? undefined : row.result_bytes,
  });
}

/** What a job waits for. */
export function readConditions(column: unknown): readonly Condition[] {
  return parsed<readonly Condition[]>(column) ?? [];
}

/** A step from its row. */
export function readStep(row: Row): StepRecord {
  const outcome = parsed<StepOutcome>(row.outcome);
  return {
    name: String(row.name),
    ...(outcome === undefined ? {} : { outcome }),
    ...(row.until_ms === null ? {} : { untilMs: Number(row.until_ms) }),
  };
}

/** Columns that {@link readTicket} needs. */
export const TICKET = "id, run, number, queue, depth, priority";

/** The ticket for a job's latest run. */
export function readTicket(row: Row): Ticket {
  return {
    id: String(row.id),
    run: Number(row.run),
    number: Number(row.number),
    queue: String(row.queue),
    depth: Number(row.depth),
    priority: Number(row.priority),
  };
}

/** A JSON column as what this code wrote there; `undefined` for NULL. */
export function parsed<T>(column: unknown): T | undefined {
  // The border: only this code writes the column.
  return typeof column === "string" ? (JSON.parse(column) as T) : undefined;
}

function statusOf(column: unknown): JobStatus {
  return STATUSES.find((one) => one === column) ?? "queued";
}

function textOf(column: unknown): string | undefined {
  return typeof column === "string" ? column : undefined;
}

function timeOf(column: unknown): string | undefined {
  return column instanceof Date ? column.toISOString() : undefined;
}

/** The same without what is undefined. */
function defined(job: { readonly [Key in keyof Job]: unknown }): Job {
  // The border: what a job has to have is NOT NULL in its table.
  return Object.fromEntries(Object.entries(job).filter(([, value]) => value !== undefined)) as unknown as Job;
}
