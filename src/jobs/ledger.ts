import type { Json } from "../lib/json.ts";
import type { JobPage, JobQuery, Schedule, StepDecision } from "./engine.ts";
import type { Job, JobError, JobEvent, JobStatus, JobWait } from "./job.ts";

/** One taking up of a job: a job is taken up again after a crash, a wait or a hand-over, each time under the next number. */
export interface RunKey {
  readonly id: string;
  readonly run: number;
}

/** A run that a process is to take up. */
export interface Ticket extends RunKey {
  /** Tells jobs apart that have an id one after the other. */
  readonly number: number;
  readonly queue: string;
  readonly depth: number;
  readonly priority: number;
  /** Milliseconds since the epoch. */
  readonly notBeforeMs?: number;
}

/** A job as it is first written down. */
export interface NewJob {
  readonly id: string;
  readonly kind: string;
  readonly input: Json;
  readonly queue: string;
  readonly priority: number;
  readonly label?: string;
  readonly sessionId?: string;
  readonly parentId?: string;
  readonly deadlineAt?: string;
  readonly notBeforeMs?: number;
}

/** How a step ended. */
export type StepOutcome =
  | { readonly ok: true; readonly value?: Json }
  | { readonly ok: false; readonly error: JobError };

/** What is written down about a step, or about a wait of the handler. */
export interface StepRecord {
  readonly name: string;
  /** Absent for one that was begun and has no end. */
  readonly outcome?: StepOutcome;
  /** When a wait is over. Milliseconds since the epoch. */
  readonly untilMs?: number;
}

/** A run that was taken up. */
export interface Begun {
  readonly job: Job;
  readonly steps: readonly StepRecord[];
}

/** What a run waits for. */
export interface Condition {
  /** The step under which what comes of it is recorded. */
  readonly name: string;
  readonly for: JobWait["for"];
  /** A message's topic, the step whose outcome isn't known; empty for others. */
  readonly topic: string;
  /** Jobs of which one has to end. */
  readonly jobIds: readonly string[];
  readonly reason: string;
  readonly detail?: Json;
  /** Milliseconds since the epoch. */
  readonly untilMs?: number;
}

/** What has come of a wait: `undefined` in `value` when its time is over. */
export interface Taken {
  readonly value: Json | undefined;
}

/** How a job ends by itself. `withChildren`: those below it that haven't ended are cancelled. */
export type JobEnd =
  | { readonly status: "completed"; readonly result: Json | undefined }
  | { readonly status: "failed"; readonly error: JobError; readonly withChildren?: boolean };

/** An event before it has its number. */
export type NewEvent = Omit<JobEvent, "seq">;

/** Trees of jobs whose jobs have all ended. */
export interface EndedTrees {
  /** The ids of each, the one above all others first. */
  readonly trees: readonly (readonly string[])[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
}

/** Hears of jobs that changed; `concernsRuns` when it is for whoever runs them: a message, or the end of their run. */
export type ChangeListener = (ids: readonly string[], concernsRuns: boolean) => void;

/** A schedule's next time, when it is due. */
export interface DueSchedule {
  readonly schedule: Schedule;
  /** The time it was due. ISO 8601, UTC. */
  readonly dueAt: string;
}

/**
 * What is written down about jobs. Each method is one step: done whole or not at all, whoever else works on the same. What is said about a
 * run counts only while it is the job's latest, and the job is running; the others are told by `false` or `undefined`. A job that
 * is to be taken up gives a ticket to the dispatch in the same step.
 */
export interface Ledger extends AsyncDisposable {
  /** Nothing when there is a job of that id. @throws ToolgateError `not_found` and `stale`, for the parent */
  add(job: NewJob): Promise<void>;
  get(id: string): Promise<Job | undefined>;
  list(query: JobQuery): Promise<JobPage>;
  result(id: string): Promise<Json | undefined>;

  /** Takes a run up. `undefined` when there is nothing to do, or the session has `perSession` running jobs: it comes up again then. */
  begin(key: RunKey, worker: string, perSession?: number): Promise<Begun | undefined>;
  /** Ends a job, and wakes those that wait for that. */
  settle(key: RunKey, end: JobEnd): Promise<boolean>;
  /** Lets a run's job wait. `false` when something that it waits for is there, or the run doesn't count any more. */
  suspend(key: RunKey, conditions: readonly Condition[]): Promise<boolean>;
  /** Puts a job back into its queue, as if this run had not been. */
  giveBack(key: RunKey): Promise<boolean>;
  /** Those of some runs that still count. */
  current(keys: readonly RunKey[]): Promise<readonly RunKey[]>;

  /** Writes down that a step that isn't safe begins. */
  beginStep(key: RunKey, name: string): Promise<boolean>;
  endStep(key: RunKey, name: string, outcome: StepOutcome): Promise<boolean>;
  /** What a wait was for, if it is there or its time is over; recorded then. `undefined` when it isn't there, or the run doesn't count. */
  take(key: RunKey, condition: Condition): Promise<Taken | undefined>;

  /** @throws ToolgateError `not_found`, `stale`. A message that is `undefined` says to go on without one. */
  send(id: string, topic: string, message: Json | undefined, key?: string): Promise<void>;
  decide(id: string, decision: StepDecision, by: string): Promise<void>;
  cancel(id: string, reason: string | undefined): Promise<readonly string[]>;
  resume(id: string): Promise<void>;

  report(events: readonly NewEvent[]): Promise<void>;
  /** At most a thousand. */
  events(id: string, after: number): Promise<readonly JobEvent[]>;

  /** A page of the trees that were over before a time, and that nobody waits for. Milliseconds since the epoch. */
  endedTrees(beforeMs: number, after: string | undefined): Promise<EndedTrees>;
  /** Forgets trees with all that belongs to them, but for those of which a job has gone on since; answers how many jobs that were. */
  forget(trees: EndedTrees["trees"], beforeMs: number): Promise<number>;

  putSchedule(schedule: Schedule): Promise<void>;
  schedules(): Promise<readonly Schedule[]>;
  removeSchedule(name: string): Promise<boolean>;
  /** Moves a schedule on from the time it was due, and tells whether this was the first to do so. */
  moveSchedule(due: DueSchedule, next: Pick<Schedule, "nextAt" | "lastAt" | "lastJobId">): Promise<boolean>;

  /**
   * Sees to what nobody else does: jobs of workers that are gone, or of this one though it runs only `runs`, waits and deadlines whose
   * time is over, places that came free, what was kept long enough.
   */
  tend(worker: string, runs: readonly RunKey[]): Promise<void>;
  /** Jobs of these kinds that wait for a message. */
  waiting(kinds: readonly string[]): Promise<readonly Job[]>;
  /** Tells of jobs that changed, in this process or another. May miss some. Answers how to stop that. */
  onChange(listener: ChangeListener): () => void;
}

/** Which statuses a query asks for; `undefined` for all. */
export function statusesOf({ status }: JobQuery): readonly JobStatus[] | undefined {
  if (status === undefined) return undefined;
  return typeof status === "string" ? [status] : status;
}

/** The wait that is shown of several: one that needs a person first. */
export function shownWait(conditions: readonly Condition[], since: string): JobWait | undefined {
  const first = conditions.find((one) => one.for === "unknown_outcome") ?? conditions[0];
  if (first === undefined) return undefined;
  const { for: kind, reason, detail, untilMs } = first;
  return {
    for: kind,
    topic: kind === "job" ? first.jobIds.join(" ") : first.topic,
    reason,
    ...(detail === undefined ? {} : { detail }),
    since,
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
  };
}
