import type { Json } from "../../lib/json.ts";
import type { JobQuery } from "../engine.ts";
import type { Job, JobError, JobEvent, JobProgress, JobStatus } from "../job.ts";
import {
  type Condition,
  type NewEvent,
  type NewJob,
  type StepRecord,
  shownWait,
  statusesOf,
} from "../ledger.ts";

const MAX_SHOWN_BYTES = 64 * 1024;

/** A job in memory, with all that is written down about it. */
export interface Entry {
  readonly job: NewJob;
  readonly number: number;
  readonly depth: number;
  readonly createdAt: string;
  readonly children: Entry[];
  status: JobStatus;
  run: number;
  worker: string | undefined;
  attempts: number;
  resumes: number;
  /** Steps there were when it was last taken up: more of them later mean that it got further. */
  seenSteps: number;
  startedAt: string | undefined;
  finishedAt: string | undefined;
  deadlineAt: string | undefined;
  resumedAt: string | undefined;
  waitsSince: string | undefined;
  conditions: readonly Condition[];
  /** As JSON, so that nobody changes what was kept. */
  result: string | undefined;
  error: JobError | undefined;
  progress: JobProgress | undefined;
  readonly steps: Map<string, StepRecord>;
  readonly messages: Message[];
  readonly keys: Set<string>;
  readonly events: JobEvent[];
}

/** A message that nobody has received. */
export interface Message {
  readonly topic: string;
  readonly body: Json | undefined;
}

/** A job as it begins. */
export function newEntry(job: NewJob, number: number, depth: number): Entry {
  return {
    job,
    number,
    depth,
    createdAt: new Date().toISOString(),
    children: [],
    status: "queued",
    run: 1,
    worker: undefined,
    attempts: 0,
    resumes: 0,
    seenSteps: 0,
    startedAt: undefined,
    finishedAt: undefined,
    deadlineAt: job.deadlineAt,
    resumedAt: undefined,
    waitsSince: undefined,
    conditions: [],
    result: undefined,
    error: undefined,
    progress: undefined,
    steps: new Map(),
    messages: [],
    keys: new Set(),
    events: [],
  };
}

/** Puts an event under its number. */
export function addEvent(
  entry: Entry,
  event: Omit<NewEvent, "jobId" | "at"> & { readonly at?: string },
): void {
  const { at = new Date().toISOString(), ...rest } = event;
  entry.events.push({ seq: entry.events.length + 1, jobId: entry.job.id, at, ...rest });
  if (event.type === "progress" && event.progress !== undefined) entry.progress = event.progress;
}

/** Whether a query asks for it; which tree it is in is not looked at. */
export function isAskedFor({ job, number, status }: Entry, query: JobQuery): boolean {
  const { sessionId, parentId, kind, after } = query;
  return (
    statusesOf(query)?.includes(status) !== false &&
    (sessionId === undefined || job.sessionId === sessionId) &&
    (parentId === undefined || job.parentId === parentId) &&
    (kind === undefined || job.kind === kind) &&
    (after === undefined || number < Number(after))
  );
}

/** The job as it is shown. */
export function shown(entry: Entry): Job {
  const { job, status, depth, createdAt, attempts, result } = entry;
  const { id, kind, input, queue, priority, label, sessionId, parentId } = job;
  const waiting =
    status === "waiting" ? shownWait(entry.conditions, entry.waitsSince ?? createdAt) : undefined;
  const bytes = result === undefined ? undefined : Buffer.byteLength(result);
  return defined({
    id,
    kind,
    label,
    status,
    queue,
    priority,
    sessionId,
    parentId,
    depth,
    createdAt,
    startedAt: entry.startedAt,
    finishedAt: entry.finishedAt,
    deadlineAt: entry.deadlineAt,
    attempts,
    resumes: entry.resumes === 0 ? undefined : entry.resumes,
    waiting,
    progress: entry.progress,
    error: entry.error,
    input: structuredClone(input),
    result: result !== undefined && (bytes ?? 0) <= MAX_SHOWN_BYTES ? JSON.parse(result) : undefined,
    resultBytes: bytes,
  });
}

/** The same without what is undefined. */
function defined(job: { readonly [Key in keyof Job]: Job[Key] | undefined }): Job {
  // The border: what a job has to have is never undefined above.
  return Object.fromEntries(Object.entries(job).filter(([, value]) => value !== undefined)) as unknown as Job;
}
