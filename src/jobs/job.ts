import type { Json } from "../lib/json.ts";

/**
 * Where a job stands. `waiting` says for what in {@link Job.waiting}, takes up no place in its queue and costs nothing while it
 * lasts; the last three are final, until somebody resumes the job.
 */
export type JobStatus = "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled";

/** Statuses that a job doesn't leave by itself. */
export const FINAL_STATUSES: readonly JobStatus[] = ["completed", "failed", "cancelled"];

/** What a waiting job waits for. */
export interface JobWait {
  /**
   * `message`: one on `topic`. `job`: the end of the job `topic`. `unknown_outcome`: a person's word about the step `topic`, which was
   * begun and has no result since its process ended. `time`: nothing but `until`.
   */
  readonly for: "message" | "job" | "unknown_outcome" | "time";
  readonly topic: string;
  /** In words, for people. */
  readonly reason: string;
  /** For programs: which questions are to be answered, and the like. */
  readonly detail?: Json;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** When it goes on without. ISO 8601, UTC. */
  readonly until?: string;
}

/** The key of a message that lets a job go on: whoever finds that it can sends the same one, and it goes on once. */
export function wakeKey({ since }: JobWait): string {
  return `@wake ${since}`;
}

/** How far a job is. */
export interface JobProgress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

/** Why a job failed. */
export interface JobError {
  /** One of the error codes; `failed` for what is none of them, `poison` when workers ended again and again while they ran it. */
  readonly code: string;
  readonly message: string;
  /** The step that failed, if it was one. */
  readonly step?: string;
}

/** What lists say about a job. Times are ISO 8601, UTC. */
export interface JobSummary {
  readonly id: string;
  /** Which handler runs it. */
  readonly kind: string;
  readonly label?: string;
  readonly status: JobStatus;
  readonly queue: string;
  /** Lower comes first. */
  readonly priority: number;
  /** Whose it is: counted for the limit per session. */
  readonly sessionId?: string;
  readonly parentId?: string;
  /** 0 for a job without a parent. */
  readonly depth: number;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly deadlineAt?: string;
  /** How often a worker took it up since it last got any further. */
  readonly attempts: number;
  /** How often it was resumed after it had ended. @default 0 */
  readonly resumes?: number;
  readonly waiting?: JobWait;
  /** The latest. */
  readonly progress?: JobProgress;
  readonly error?: JobError;
}

/** A job. */
export interface Job extends JobSummary {
  readonly input: Json;
  /** Absent while there is none, and when it is larger than 64 KiB: `JobEngine.result` gives it whole. */
  readonly result?: Json;
  /** Size of the result as JSON, in UTF-8 bytes. */
  readonly resultBytes?: number;
}

/** What happened to a job, in order. */
export interface JobEvent {
  /** Grows from one event to the next: `after` of the next read. */
  readonly seq: number;
  readonly jobId: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly type: "status" | "progress" | "step";
  /** For `status`. */
  readonly status?: JobStatus;
  /** For `progress`. */
  readonly progress?: JobProgress;
  /** For `step`, and where a status has to do with one. */
  readonly step?: string;
  /** For `step`. */
  readonly phase?: "begun" | "done" | "failed" | "retried";
  /** In words: what is waited for, why it failed or was cancelled. */
  readonly message?: string;
  /** What a handler had to say in its own words, as {@link JobProgress} can't. */
  readonly data?: Json;
}
