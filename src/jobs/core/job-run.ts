import { createHash } from "node:crypto";
import { ToolgateError } from "../../errors.ts";
import type { Json, MaybePromise } from "../../lib/json.ts";
import type { JobContext, JobRequest, ReceiveOptions, StepOptions } from "../handler.ts";
import type { Job, JobProgress, JobSummary } from "../job.ts";
import type { Begun, Condition, Ledger, NewEvent, RunKey, StepOutcome, StepRecord } from "../ledger.ts";
import { jobError, StepFailed } from "./job-error.ts";
import { type StopReason, stopped } from "./stopped.ts";
import { attempt } from "./tries.ts";
import { Waits } from "./waits.ts";

/** What a run needs of its engine. */
export interface RunParts {
  readonly ledger: Ledger;
  readonly key: RunKey;
  readonly begun: Begun;
  readonly tell: (event: NewEvent) => void;
  readonly enqueue: (request: JobRequest) => Promise<string>;
}

/** One run of a job: what its handler has at hand. */
export class JobRun implements JobContext {
  readonly job: JobSummary;
  readonly #parts: RunParts;
  readonly #records: Map<string, StepRecord>;
  readonly #times = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #waits: Waits;
  #reason: StopReason | undefined;
  #takesNoMore = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.job = parts.begun.job;
    this.#records = new Map(parts.begun.steps.map((step) => [step.name, step]));
    this.#waits = new Waits({
      ledger: parts.ledger,
      key: parts.key,
      left: () => this.stop("waits"),
      lost: () => this.stop("lost"),
    });
  }

  /** What its handler has at hand, whose functions may be taken out of it. */
  get context(): JobContext {
    return {
      job: this.job,
      signal: this.signal,
      step: (name, work, options) => this.step(name, work, options),
      receive: (topic, options) => this.receive(topic, options),
      sleep: (name, ms) => this.sleep(name, ms),
      start: (name, request) => this.start(name, request),
      first: (ids) => this.first(ids),
      report: (progress, data) => this.report(progress, data),
    };
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Why it stopped, if it did. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Stops it: nothing more of it is recorded. The first reason stays. */
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const error = stopped(reason);
    this.#waits.stop(error);
    this.#stop.abort(error);
  }

  /** Lets the steps that run end, and stops at the next one. */
  wind(): void {
    this.#takesNoMore = true;
    if (this.#waits.isIdle) this.stop("handed over");
    else this.#waits.whenIdle(() => this.stop("handed over"));
  }

  /** Looks again whether what it waits for is there. */
  poke(): void {
    this.#waits.poke();
  }

  async step<T extends Json | undefined>(
    name: string,
    work: (signal: AbortSignal) => MaybePromise<T>,
    options: StepOptions = {},
  ): Promise<T> {
    const recordName = this.#named(checked(name));
    const known = this.#records.get(recordName);
    if (known?.outcome !== undefined) return replay<T>(known.outcome, name);
    this.#check();
    const { safe = false } = options;
    if (known !== undefined && !safe) {
      await this.#waits.block({
        name: recordName,
        for: "unknown_outcome",
        topic: recordName,
        jobIds: [],
        reason: `The step ${recordName} was begun and its process ended: whether it did its work is not known.`,
      });
      throw stopped("waits"); // Decided about while nobody ran it.
    }
    return this.#waits.busy(() => this.#run<T>(recordName, work, options));
  }

  async receive(topic: string, options: ReceiveOptions = {}): Promise<Json | undefined> {
    const { timeoutMs, reason = `A message on ${topic} is waited for.`, detail } = options;
    return this.#wait({
      name: this.#named(`@receive ${topic}`),
      for: "message",
      topic,
      jobIds: [],
      reason,
      ...(detail === undefined ? {} : { detail }),
      ...(timeoutMs === undefined ? {} : { untilMs: Date.now() + timeoutMs }),
    });
  }

  async sleep(name: string, ms: number): Promise<void> {
    const reason = `It sleeps: ${name}.`;
    const untilMs = Date.now() + ms;
    await this.#wait({
      name: this.#named(`@sleep ${name}`),
      for: "time",
      topic: "",
      jobIds: [],
      reason,
      untilMs,
    });
  }

  async start(name: string, request: Omit<JobRequest, "id" | "parentId">): Promise<string> {
    this.#check();
    const { id } = this.job;
    const { sessionId } = this.job;
    const own = sessionId === undefined ? {} : { sessionId };
    return this.#waits.busy(() =>
      this.#parts.enqueue({ ...own, ...request, id: `${id}.${name}`, parentId: id }),
    );
  }

  async first(ids: readonly string[]): Promise<Job> {
    if (ids.length === 0) throw new ToolgateError("invalid_input", "There are no jobs to wait for.");
    const name = `@first ${digest(ids.join("\n"))}`;
    const reason =
      ids.length === 1 ? `The job ${ids[0]} is waited for.` : `One of ${ids.length} jobs is waited for.`;
    const id = await this.#wait({ name, for: "job", topic: "", jobIds: ids, reason });
    // A branch that is between two steps is at work: the job doesn't leave under it.
    const job = typeof id === "string" ? await this.#waits.busy(() => this.#parts.ledger.get(id)) : undefined;
    if (job === undefined) throw new ToolgateError("not_found", "The job that was waited for is gone.");
    return job;
  }

  report(progress: string | JobProgress, data?: Json): void {
    this.#tell({
      type: "progress",
      progress: typeof progress === "string" ? { message: progress } : progress,
      ...(data === undefined ? {} : { data }),
    });
  }

  async #wait(condition: Condition): Promise<Json | undefined> {
    const known = this.#records.get(condition.name);
    if (known?.outcome !== undefined) return replay<Json | undefined>(known.outcome, condition.name);
    this.#check();
    // Time counts from the first run that waited.
    const { untilMs = condition.untilMs } = known ?? {};
    const value = await this.#waits.block(untilMs === undefined ? condition : { ...condition, untilMs });
    const outcome: StepOutcome = { ok: true, ...(value === undefined ? {} : { value }) };
    this.#records.set(condition.name, { name: condition.name, outcome });
    return value;
  }

  async #run<T extends Json | undefined>(
    name: string,
    work: (signal: AbortSignal) => MaybePromise<T>,
    options: StepOptions,
  ): Promise<T> {
    const { ledger, key } = this.#parts;
    if (options.safe !== true) await this.#recorded(ledger.beginStep(key, name));
    this.#tell({ type: "step", step: name, phase: "begun" });
    const retried = (message: string): void =>
      this.#tell({ type: "step", step: name, phase: "retried", message });
    let outcome: StepOutcome;
    let value: T | undefined;
    let cause: unknown;
    try {
      value = await attempt(work, options, this.signal, retried);
      outcome = { ok: true, ...(value === undefined ? {} : { value }) };
    } catch (error) {
      // A step that was stopped may have done its work, or some of it.
      if (this.#reason !== undefined) throw stopped(this.#reason);
      cause = error;
      outcome = { ok: false, error: jobError(error, name) };
    }
    await this.#recorded(ledger.endStep(key, name, outcome));
    this.#records.set(name, { name, outcome });
    if (!outcome.ok) {
      this.#tell({ type: "step", step: name, phase: "failed", message: outcome.error.message });
      throw new StepFailed(outcome.error, name, cause);
    }
    this.#tell({ type: "step", step: name, phase: "done" });
    return replay<T>(outcome, name);
  }

  #check(): void {
    if (this.#reason !== undefined) throw stopped(this.#reason);
    if (!this.#takesNoMore) return;
    this.stop("handed over");
    throw stopped("handed over");
  }

  /** What isn't written down hasn't happened: the run stops there, and another one goes on from what is. */
  async #recorded(writing: Promise<boolean>): Promise<void> {
    if (await writing.catch(() => false)) return;
    this.stop("lost");
    throw stopped(this.#reason ?? "lost");
  }

  #named(name: string): string {
    const times = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, times);
    return times === 1 ? name : `${name} #${times}`;
  }

  #tell(event: Omit<NewEvent, "jobId" | "at">): void {
    this.#parts.tell({ jobId: this.job.id, at: new Date().toISOString(), ...event });
  }
}

/** Names of many jobs are too long for a name. */
/** At once: a branch that waited for it would look as if it had nothing to do, and the job would leave under it. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

const MAX_NAME = 200;

function checked(name: string): string {
  const isGood = name.length > 0 && name.length <= MAX_NAME && !name.startsWith("@") && !/\p{Cc}/u.test(name);
  if (isGood && name.isWellFormed()) return name;
  throw new ToolgateError("invalid_input", `${JSON.stringify(name.slice(0, 50))} is no name for a step.`, {
    hint: `1 to ${MAX_NAME} visible characters that don't begin with @.`,
  });
}

/** What was recorded is what a step gives, the first time and each time after. */
function replay<T extends Json | undefined>(outcome: StepOutcome, name: string): T {
  if (!outcome.ok) throw new StepFailed(outcome.error, name);
  // The border: what a handler recorded under this name is what it expects there.
  return outcome.value as T;
}
