import type { Json } from "../lib/json.ts";
import type { HandlerOptions, JobHandler, JobRequest } from "./handler.ts";
import type { Job, JobEvent, JobStatus, JobSummary } from "./job.ts";

/** Limits of a queue. A queue that nobody set up has the defaults. */
export interface QueueLimits {
  /**
   * Jobs that one process runs at a time. Holds for each depth of children by itself, so that a parent that waits in a step
   * never keeps its children from running. @default 10
   */
  readonly perWorker?: number;
  /** Jobs that run at a time in all processes together, for each depth of children by itself. @default no limit */
  readonly total?: number;
  /** Jobs of one session that run at a time. @default no limit */
  readonly perSession?: number;
}

/** What a process takes part in. */
export interface LaunchOptions {
  /**
   * Queues whose jobs this process runs, by name, with their limits. None: it starts and looks after jobs, and others run them.
   * @default { default: {} }
   */
  readonly queues?: Readonly<Record<string, QueueLimits>>;
}

/** Which jobs. Newest first. */
export interface JobQuery {
  readonly status?: JobStatus | readonly JobStatus[];
  readonly sessionId?: string;
  readonly parentId?: string;
  /** This job and all below it. */
  readonly treeOf?: string;
  readonly kind?: string;
  /** Entries at most. @default 100 */
  readonly limit?: number;
  /** {@link JobPage.next} of the page before. */
  readonly after?: string;
}

/** A part of a list. */
export interface JobPage {
  readonly items: readonly JobSummary[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** What a person says about a step of which nobody knows whether it did its work. */
export type StepDecision =
  /** It didn't, or doing it twice does no harm. */
  | { readonly do: "again" }
  /** It did, and this is what it gave. */
  | { readonly do: "take"; readonly result?: Json }
  /** The step has failed. */
  | { readonly do: "fail"; readonly message?: string };

/** When a job is started by itself: a cron expression (5 fields, or 6 with seconds first) or one time. */
export type ScheduleTime =
  | {
      readonly cron: string;
      /** IANA name. @default "UTC" */
      readonly timeZone?: string;
    }
  /** ISO 8601. */
  | { readonly at: string };

/** A job that is started at times. */
export interface ScheduleRequest {
  /** Its name; a second one of the same name replaces the first. */
  readonly name: string;
  readonly when: ScheduleTime;
  /** What is started. The time it was due is in its id, so that no time is taken twice. */
  readonly job: Omit<JobRequest, "id" | "parentId" | "notBefore">;
  /** Times that passed while no worker ran: `skip` them, or start the job `once` for all of them together. @default "skip" */
  readonly missed?: "skip" | "once";
}

/** A schedule that is kept. Times are ISO 8601, UTC. */
export interface Schedule extends ScheduleRequest {
  readonly createdAt: string;
  /** Absent when there is none any more. */
  readonly nextAt?: string;
  readonly lastAt?: string;
  /** The job that was started last. */
  readonly lastJobId?: string;
}

/** How long what has ended is kept. Of several processes with the same jobs, the one that keeps it shortest counts. */
export interface RetentionOptions {
  /**
   * Jobs that have ended, counted from the end of the last one of their tree, and schedules that have no time any more. `Infinity` keeps
   * them. Milliseconds. @default 30 days; in process 1 day, and the latest 20,000 jobs at most
   */
  readonly keepEndedMs?: number;
  /**
   * What is known of a completed job besides its result: events, steps, messages. Those that failed or were cancelled may go on, and keep theirs
   * as long as they are kept. Milliseconds. @default 7 days; in process 1 hour
   */
  readonly keepHistoryMs?: number;
}

/** Which events. */
export interface EventsOptions {
  /** Only those after this one's `seq`. */
  readonly after?: number;
  /** Goes on with what happens, up to the job's end. @default false */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** Which jobs {@link JobEngine.prune} removes. */
export interface PruneOptions {
  /** Those that ended so long ago, with all below them. Milliseconds. */
  readonly olderThanMs: number;
  /** Removes nothing, and answers what it would. @default false */
  readonly dryRun?: boolean;
}

/** What was removed. */
export interface Pruned {
  /** Jobs, those below others included. */
  readonly jobs: number;
}

/**
 * Runs jobs and keeps what came of them. A durable engine's jobs outlive every process: what a method has promised when it
 * settles survives, and any process with the same database sees it. `toolgate/testing` holds the contract suite that each kind passes.
 */
export interface JobEngine extends AsyncDisposable {
  /** `in-process`, `dbos`. */
  readonly kind: string;
  /** Whether jobs outlive this process. */
  readonly isDurable: boolean;

  /** Says how jobs of a kind are run. Before {@link JobEngine.launch}. */
  register(kind: string, handler: JobHandler, options?: HandlerOptions): void;
  /** Connects, and begins to run jobs. The other methods connect by themselves, and run none. */
  launch(options?: LaunchOptions): Promise<void>;
  /**
   * Takes no more jobs. Those that run here have `graceMs` to end; what is left is handed over to other processes, at its last step.
   * Disposing does the same without grace.
   */
  drain(graceMs: number): Promise<void>;

  /**
   * Starts a job and answers its id. Who asks for an id that exists is given that job, whatever else they ask for.
   * @throws ToolgateError `not_found` when the parent doesn't exist, `stale` when it has ended
   */
  enqueue(request: JobRequest): Promise<string>;
  get(id: string): Promise<Job | undefined>;
  list(query?: JobQuery): Promise<JobPage>;
  /** A completed job's result, however large. */
  result(id: string): Promise<Json | undefined>;
  /**
   * The job as it is when it has ended. Doesn't throw for how it ended.
   * @throws ToolgateError `not_found`, `aborted`
   */
  wait(id: string, signal?: AbortSignal): Promise<Job>;

  /** Cancels a job and all below it, and nothing else; answers the ids of those that hadn't ended. Queued and waiting ones at once. */
  cancel(id: string, reason?: string): Promise<readonly string[]>;
  /**
   * Lets a failed or cancelled job go on from its last recorded step; a step that failed is run again. Its children are left as they are.
   * What it may use up counts anew from here: its deadline, and a sub-agent's turns and tokens.
   * @throws ToolgateError `not_found`, `stale` when it hasn't ended or is completed
   */
  resume(id: string): Promise<void>;
  /**
   * Sends a job a message, which it is given once by `receive`, also when it doesn't wait yet. Messages of the same key are one.
   * @throws ToolgateError `not_found`, `stale` when the job has ended
   */
  send(id: string, topic: string, message: Json, key?: string): Promise<void>;
  /**
   * A person's word on the step whose outcome isn't known.
   * @throws ToolgateError `not_found`, `stale` when the job doesn't wait for it
   */
  decide(id: string, decision: StepDecision, by: string): Promise<void>;
  /**
   * Removes jobs that have ended, a tree at a time: only when all of it has ended long enough ago, and no job that goes on waits for one of
   * them. Launched engines do so by themselves with what is older than {@link RetentionOptions.keepEndedMs}.
   * @throws ToolgateError `invalid_input` for a time that is none
   */
  prune(options: PruneOptions): Promise<Pruned>;
  /** What happened to a job: without `follow` what is known by now. */
  events(id: string, options?: EventsOptions): AsyncIterable<JobEvent>;

  /** @throws ToolgateError `invalid_input` for a time that can't be read */
  schedule(request: ScheduleRequest): Promise<Schedule>;
  schedules(): Promise<readonly Schedule[]>;
  /** Forgets a schedule, and tells whether there was one. Jobs it started go on. */
  unschedule(name: string): Promise<boolean>;
}
