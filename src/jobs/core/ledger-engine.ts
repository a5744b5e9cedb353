import { setTimeout as sleep } from "node:timers/promises";
import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import type { Json } from "../../lib/json.ts";
import type {
  EventsOptions,
  JobEngine,
  JobPage,
  JobQuery,
  LaunchOptions,
  Pruned,
  PruneOptions,
  QueueLimits,
  Schedule,
  ScheduleRequest,
  StepDecision,
} from "../engine.ts";
import type { HandlerOptions, JobHandler, JobRequest } from "../handler.ts";
import { FINAL_STATUSES, type Job, type JobEvent, wakeKey } from "../job.ts";
import type { Ledger, RunKey, Ticket } from "../ledger.ts";
import { Changes } from "./changes.ts";
import type { Crew } from "./crew.ts";
import { EventBuffer } from "./event-buffer.ts";
import { noSuchJob } from "./job-error.ts";
import { newJob } from "./job-id.ts";
import { JobRun } from "./job-run.ts";
import { prune } from "./retention.ts";
import { type Registered, runJob } from "./run-job.ts";
import { newSchedule, startDue } from "./schedules.ts";

/** How often an engine sees to what nobody else does. */
const TEND_MS = 1000;
/** How often kinds are asked about their waiting jobs, in rounds of tending. */
const ASK_EVERY = 3;
/** News of changes may get lost: this is how often is looked without. */
const LOOK_MS = 2000;
/** How long a run may take to leave once it was stopped. */
const LEAVE_MS = 5000;

/** What an engine is made of. */
export interface EngineParts {
  readonly kind: string;
  readonly isDurable: boolean;
  readonly ledger: Ledger;
  readonly crew: Crew;
}

/** A job engine on a ledger, whose runs a crew hands out. */
export class LedgerEngine implements JobEngine {
  readonly kind: string;
  readonly isDurable: boolean;
  readonly #ledger: Ledger;
  readonly #crew: Crew;
  readonly #events: EventBuffer;
  readonly #changes: Changes;
  readonly #kinds = new Map<string, Registered>();
  readonly #runs = new Map<JobRun, { readonly key: RunKey; readonly ended: Promise<void> }>();
  /** Runs that this process has to do with, also before they begin. */
  readonly #taken = new Set<RunKey>();
  readonly #closing = new AbortController();
  #queues: Readonly<Record<string, QueueLimits>> = {};
  #tending: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #disposed: Promise<void> | undefined;
  #isLaunched = false;

  constructor({ kind, isDurable, ledger, crew }: EngineParts) {
    this.kind = kind;
    this.isDurable = isDurable;
    this.#ledger = ledger;
    this.#crew = crew;
    this.#events = new EventBuffer(ledger);
    this.#changes = new Changes(ledger);
  }

  register(kind: string, handler: JobHandler, options: HandlerOptions = {}): void {
    if (this.#isLaunched) throw new ToolgateError("usage", "The engine is launched: it takes no more kinds.");
    if (this.#kinds.has(kind)) throw new ToolgateError("usage", `Jobs of the kind ${kind} have a handler.`);
    this.#kinds.set(kind, { handler, options });
  }

  async launch({ queues = { default: {} } }: LaunchOptions = {}): Promise<void> {
    if (this.#isLaunched) throw new ToolgateError("usage", "The engine is launched already.");
    this.#isLaunched = true;
    this.#queues = queues;
    this.#changes.onChange((ids, concernsRuns) => {
      if (concernsRuns) this.#changed(new Set(ids));
    });
    await this.#crew.start(queues, (ticket) => this.#takeUp(ticket));
    this.#tending = this.#tend();
  }

  async drain(graceMs: number): Promise<void> {
    this.#stopped ??= this.#crew.stop(graceMs + LEAVE_MS);
    await this.#stopped;
    const ended = (): Promise<unknown> => Promise.all([...this.#runs.values()].map((one) => one.ended));
    for (const run of this.#runs.keys()) run.wind();
    if (await inTime(ended(), graceMs)) return;
    for (const run of this.#runs.keys()) run.stop("handed over");
    await inTime(ended(), LEAVE_MS);
  }

  async enqueue(request: JobRequest): Promise<string> {
    const job = newJob(request);
    await this.#ledger.add(job);
    return job.id;
  }

  get(id: string): Promise<Job | undefined> {
    return this.#ledger.get(id);
  }

  list(query: JobQuery = {}): Promise<JobPage> {
    return this.#ledger.list(query);
  }

  result(id: string): Promise<Json | undefined> {
    return this.#ledger.result(id);
  }

  async wait(id: string, signal?: AbortSignal): Promise<Job> {
    for await (const _change of this.#changes.of(id, LOOK_MS, this.#either(signal))) {
      const job = await this.#ledger.get(id);
      if (job === undefined) throw noSuchJob(id);
      if (FINAL_STATUSES.includes(job.status)) return job;
    }
    throw new ToolgateError("aborted", `Waiting for the job ${id} was given up.`);
  }

  cancel(id: string, reason?: string): Promise<readonly string[]> {
    return this.#ledger.cancel(id, reason);
  }

  resume(id: string): Promise<void> {
    return this.#ledger.resume(id);
  }

  send(id: string, topic: string, message: Json, key?: string): Promise<void> {
    return this.#ledger.send(id, topic, message, key);
  }

  decide(id: string, decision: StepDecision, by: string): Promise<void> {
    return this.#ledger.decide(id, decision, by);
  }

  prune(options: PruneOptions): Promise<Pruned> {
    return prune(this.#ledger, options);
  }

  async *events(
    id: string,
    { after = 0, follow = false, signal }: EventsOptions = {},
  ): AsyncGenerator<JobEvent, void, undefined> {
    let seen = after;
    for await (const _change of this.#changes.of(id, LOOK_MS, this.#either(signal))) {
      // Asked before: what it told before it ended is read after.
      const job = await this.#ledger.get(id);
      if (job === undefined) throw noSuchJob(id);
      for (;;) {
        const events = await this.#ledger.events(id, seen);
        for (const event of events) {
          seen = event.seq;
          yield event;
        }
        if (events.length === 0) break;
      }
      if (!follow || FINAL_STATUSES.includes(job.status)) return;
    }
  }

  async schedule(request: ScheduleRequest): Promise<Schedule> {
    newJob(request.job);
    const schedule = await newSchedule(request);
    await this.#ledger.putSchedule(schedule);
    return schedule;
  }

  schedules(): Promise<readonly Schedule[]> {
    return this.#ledger.schedules();
  }

  unschedule(name: string): Promise<boolean> {
    return this.#ledger.removeSchedule(name);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= (async () => {
      if (this.#isLaunched) await this.drain(0);
      this.#closing.abort();
      await this.#tending;
      await this.#events.flush();
      await this.#changes.dispose();
      await this.#crew.dispose();
      await this.#ledger[Symbol.asyncDispose]();
    })();
    return this.#disposed;
  }

  async #takeUp(ticket: Ticket): Promise<void> {
    const key: RunKey = { id: ticket.id, run: ticket.run };
    this.#taken.add(key);
    try {
      await this.#run(key, this.#queues[ticket.queue]?.perSession);
    } catch {
      // What couldn't be written down is found by tending: the job is this worker's, and it doesn't run it.
    } finally {
      this.#taken.delete(key);
    }
  }

  async #run(key: RunKey, perSession: number | undefined): Promise<void> {
    const ledger = this.#ledger;
    const begun = await ledger.begin(key, this.#crew.worker, perSession);
    if (begun === undefined) return;
    const run = new JobRun({
      ledger,
      key,
      begun,
      tell: (event) => this.#events.add(event),
      enqueue: (request) => this.enqueue(request),
    });
    const ended = runJob({
      ledger,
      key,
      run,
      job: begun.job,
      kind: this.#kinds.get(begun.job.kind),
      leaveMs: LEAVE_MS,
      flush: () => this.#events.flush(),
    });
    this.#runs.set(run, { key, ended });
    if (this.#stopped !== undefined) run.wind();
    try {
      await ended;
    } finally {
      this.#runs.delete(run);
    }
  }

  async #tend(): Promise<void> {
    const { signal } = this.#closing;
    for (let round = 0; !signal.aborted; round += 1) {
      try {
        if (this.#stopped === undefined) {
          await this.#ledger.tend(this.#crew.worker, [...this.#taken]);
          await startDue(this.#ledger, (request) => this.enqueue(request));
          if (round % ASK_EVERY === 0) await this.#ask();
        }
        await this.#lookAtRuns(undefined);
      } catch {
        // The database may be away for a while; the next round tries again.
      }
      // Processes that were started together shouldn't all look at the same time.
      await sleep(TEND_MS * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Asks the kinds whether their waiting jobs can go on. */
  async #ask(): Promise<void> {
    const kinds = [...this.#kinds].filter(([, { options }]) => options.isReady !== undefined);
    if (kinds.length === 0) return;
    for (const job of await this.#ledger.waiting(kinds.map(([kind]) => kind))) {
      if (job.waiting?.for !== "message") continue;
      try {
        if ((await this.#kinds.get(job.kind)?.options.isReady?.(job)) !== true) continue;
        await this.#ledger.send(job.id, job.waiting.topic, undefined, wakeKey(job.waiting));
      } catch {
        // It is asked again; what went on meanwhile needs no message.
      }
    }
  }

  #changed(ids: ReadonlySet<string>): void {
    void this.#lookAtRuns(ids).catch(() => undefined);
  }

  /** Stops runs that don't count any more, and lets the others look for what they wait for. */
  async #lookAtRuns(ids: ReadonlySet<string> | undefined): Promise<void> {
    const runs = [...this.#runs].filter(([, { key }]) => ids === undefined || ids.has(key.id));
    if (runs.length === 0) return;
    const current = new Set(
      (await this.#ledger.current(runs.map(([, { key }]) => key))).map(({ id, run }) => `${run} ${id}`),
    );
    for (const [run, { key }] of runs) {
      if (current.has(`${key.run} ${key.id}`)) run.poke();
      else run.stop("cancelled");
    }
  }

  #either(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
  }
}
