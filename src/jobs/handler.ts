import type { Json, MaybePromise } from "../lib/json.ts";
import type { Job, JobProgress, JobSummary } from "./job.ts";

/** How a step is run. */
export interface StepOptions {
  /**
   * Whether it may be run again when nobody knows whether it did its work. A step that isn't, and was begun when its process ended,
   * makes the job wait for a person's word instead. @default false
   */
  readonly safe?: boolean;
  /** How often a safe step that fails is tried again, with growing waits. @default 0 */
  readonly retries?: number;
  /** The first wait between tries; doubles up to a minute. Milliseconds. @default 1000 */
  readonly backoffMs?: number;
  /** Aborts the step's signal; the step has failed then. Milliseconds. */
  readonly timeoutMs?: number;
}

/** What is waited for, besides the topic. */
export interface ReceiveOptions {
  /** Goes on with `undefined` after this. Milliseconds, counted from the first time it was waited. @default no limit */
  readonly timeoutMs?: number;
  /** In words, for people who look at the job. */
  readonly reason?: string;
  /** For programs that look at the job. */
  readonly detail?: Json;
}

/** A job to be started. */
export interface JobRequest {
  /** Names the work: a second request of the same id is the same job, and nothing is added. @default a new one */
  readonly id?: string;
  /** Which handler. */
  readonly kind: string;
  readonly input?: Json;
  /** @default "default" */
  readonly queue?: string;
  /** Lower comes first, from 0 on. @default 100 */
  readonly priority?: number;
  /** Whose it is: counts for the limit per session, and lists can be asked by it. */
  readonly sessionId?: string;
  /** The job it belongs to: is cancelled with it. The parent must not have ended. */
  readonly parentId?: string;
  /** For people. */
  readonly label?: string;
  /** How long it may take from now on, queue and waits included. Milliseconds. */
  readonly deadlineMs?: number;
  /** Not before this time. ISO 8601, UTC. */
  readonly notBefore?: string;
}

/**
 * What a handler has at hand. A handler is run from its beginning again after a crash, a wait or a hand-over to another process:
 * what it does to the world belongs in steps, whose results are recorded and given again. Between steps it must come to the
 * same by itself. Of several branches at once each awaits only what is had from here: while one waits, the job leaves the process as
 * soon as no other is in a step. Each method rejects with `aborted` once the job was cancelled, has passed its deadline or belongs to another
 * process; a handler lets that pass, as it does with what {@link JobContext.receive} throws to leave the process while it waits.
 */
export interface JobContext {
  readonly job: JobSummary;
  /** Aborts on cancel, deadline and hand-over. */
  readonly signal: AbortSignal;
  /**
   * Runs `work` once and records what it gives; later runs of the handler are given that. Steps are known by name, whatever the order
   * they are begun in, several at once too; the second step of a name is another one. The result must be JSON, or nothing.
   * @throws StepFailed with the message and code of what `work` threw, after its retries; the job can be resumed from there
   */
  step<T extends Json | undefined>(
    name: string,
    work: (signal: AbortSignal) => MaybePromise<T>,
    options?: StepOptions,
  ): Promise<T>;
  /**
   * The next message sent on a topic, each given once, in the order sent; `undefined` when the time is over. The job is `waiting` meanwhile,
   * without a process. Also goes on with `undefined` when the kind's {@link HandlerOptions.isReady} says so.
   */
  receive(topic: string, options?: ReceiveOptions): Promise<Json | undefined>;
  /** Waits, without a process. Milliseconds, counted from the first time. `name` is the wait's own. */
  sleep(name: string, ms: number): Promise<void>;
  /** Starts a job below this one, once: `name` is its name among this job's children, and part of its id, which is answered. */
  start(name: string, request: Omit<JobRequest, "id" | "parentId">): Promise<string>;
  /** Waits for the end of one of several jobs, without a process, and answers it: always the same one when asked again for the same ones. */
  first(ids: readonly string[]): Promise<Job>;
  /** Says how far the job is, and `data` with it for who can read that. Not waited for. */
  report(progress: string | JobProgress, data?: Json): void;
}

/** Does a job's work and answers its result. What it throws makes the job fail. */
export type JobHandler = (input: Json, context: JobContext) => Promise<Json | undefined>;

/** How jobs of a kind are treated. */
export interface HandlerOptions {
  /**
   * Asked every few seconds about jobs that wait for a message: whether they can go on without one, since what they wait
   * for has come about elsewhere.
   */
  readonly isReady?: (job: Job) => MaybePromise<boolean>;
  /** How often a worker may end while it runs a job that gets no further, before the job has failed. @default 10 */
  readonly maxAttempts?: number;
}
