import type { Json } from "../../lib/json.ts";
import { decided } from "../core/decided.ts";
import {
  noSuchJob,
  nothingToResume,
  overdue,
  parentEnded,
  takesNoMessages,
  waitsForNoWord,
} from "../core/job-error.ts";
import type { Retention } from "../core/retention.ts";
import type { JobPage, JobQuery, Schedule, StepDecision } from "../engine.ts";
import { FINAL_STATUSES, type Job, type JobEvent } from "../job.ts";
import type {
  Begun,
  ChangeListener,
  Condition,
  DueSchedule,
  EndedTrees,
  JobEnd,
  Ledger,
  NewEvent,
  NewJob,
  RunKey,
  StepOutcome,
  Taken,
  Ticket,
} from "../ledger.ts";
import { addEvent, type Entry, isAskedFor, newEntry, shown } from "./entry.ts";
import { Forgetting, treeFrom } from "./forgetting.ts";

/** A ledger in memory. Every method does its work before anything else gets a turn. */
export class MemoryLedger implements Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #schedules = new Map<string, Schedule>();
  #count = 0;
  /** Those of the jobs that wait, and those that their session is too full for. */
  readonly #waiting = new Set<Entry>();
  readonly #held = new Set<Entry>();
  readonly #listeners = new Set<ChangeListener>();
  readonly #dispatch: (ticket: Ticket) => void;
  readonly #forgetting: Forgetting;

  constructor(dispatch: (ticket: Ticket) => void, retention: Retention) {
    this.#dispatch = dispatch;
    const kept = { entries: this.#entries, schedules: this.#schedules, waiting: this.#waiting };
    this.#forgetting = new Forgetting(kept, retention);
  }

  async add(job: NewJob): Promise<void> {
    if (this.#entries.has(job.id)) return;
    const parent = job.parentId === undefined ? undefined : this.#entry(job.parentId);
    if (parent !== undefined && isFinal(parent)) throw parentEnded(parent.job.id);
    const kept: NewJob = { ...job, input: structuredClone(job.input) };
    const entry = newEntry(kept, this.#count, parent === undefined ? 0 : parent.depth + 1);
    this.#count += 1;
    this.#entries.set(job.id, entry);
    parent?.children.push(entry);
    addEvent(entry, { type: "status", status: "queued" });
    this.#ticket(entry, job.notBeforeMs);
  }

  async get(id: string): Promise<Job | undefined> {
    const entry = this.#entries.get(id);
    return entry === undefined ? undefined : shown(entry);
  }

  async list(query: JobQuery): Promise<JobPage> {
    const { treeOf, limit = 100 } = query;
    const tree = treeOf === undefined ? undefined : new Set(this.#tree(treeOf));
    const found = [...this.#entries.values()].filter(
      (entry) => isAskedFor(entry, query) && (tree === undefined || tree.has(entry)),
    );
    const page = found.toReversed().slice(0, limit);
    const items = page.map((entry) => {
      const { input, result, resultBytes, ...summary } = shown(entry);
      return summary;
    });
    const last = page.at(-1);
    return found.length > page.length && last !== undefined ? { items, next: `${last.number}` } : { items };
  }

  async result(id: string): Promise<Json | undefined> {
    const { result } = this.#entry(id);
    return result === undefined ? undefined : JSON.parse(result);
  }

  async begin({ id, run }: RunKey, worker: string, perSession?: number): Promise<Begun | undefined> {
    const entry = this.#entries.get(id);
    if (entry?.status !== "queued" || entry.run !== run) return undefined;
    if (perSession !== undefined && this.#running(entry) >= perSession) {
      this.#held.add(entry);
      return undefined;
    }
    entry.attempts = entry.steps.size > entry.seenSteps ? 1 : entry.attempts + 1;
    entry.seenSteps = entry.steps.size;
    entry.worker = worker;
    entry.startedAt ??= new Date().toISOString();
    this.#move(entry, "running");
    return { job: shown(entry), steps: [...entry.steps.values()] };
  }

  async settle(key: RunKey, end: JobEnd): Promise<boolean> {
    const entry = this.#current(key);
    if (entry === undefined) return false;
    if (end.status === "completed") {
      entry.result = end.result === undefined ? undefined : JSON.stringify(end.result);
      this.#end(entry, end.status, undefined);
      // It never goes on: nobody asks for them any more.
      entry.steps.clear();
      entry.messages.length = 0;
    } else this.#fail(entry, end);
    return true;
  }

  async suspend(key: RunKey, conditions: readonly Condition[]): Promise<boolean> {
    const entry = this.#current(key);
    if (entry === undefined || conditions.some((one) => this.#isThere(entry, one))) return false;
    for (const { name, untilMs } of conditions) {
      if (untilMs !== undefined) entry.steps.set(name, { name, untilMs });
    }
    entry.conditions = conditions;
    entry.waitsSince = new Date().toISOString();
    this.#move(entry, "waiting", conditions[0]?.reason);
    this.#release(entry);
    return true;
  }

  async giveBack(key: RunKey): Promise<boolean> {
    const entry = this.#current(key);
    if (entry === undefined) return false;
    entry.attempts -= 1;
    this.#requeue(entry);
    return true;
  }

  async current(keys: readonly RunKey[]): Promise<readonly RunKey[]> {
    return keys.filter((key) => this.#current(key) !== undefined);
  }

  async beginStep(key: RunKey, name: string): Promise<boolean> {
    const entry = this.#current(key);
    entry?.steps.set(name, { name });
    return entry !== undefined;
  }

  async endStep(key: RunKey, name: string, outcome: StepOutcome): Promise<boolean> {
    const entry = this.#current(key);
    entry?.steps.set(name, { name, outcome: structuredClone(outcome) });
    return entry !== undefined;
  }

  async take(key: RunKey, condition: Condition): Promise<Taken | undefined> {
    const entry = this.#current(key);
    if (entry === undefined) return undefined;
    const value = this.#takeOut(entry, condition);
    if (value === undefined && !isOver(condition)) return undefined;
    const got = value?.value;
    const outcome: StepOutcome = { ok: true, ...(got === undefined ? {} : { value: got }) };
    entry.steps.set(condition.name, { name: condition.name, outcome });
    return { value: got };
  }

  async send(id: string, topic: string, message: Json | undefined, key?: string): Promise<void> {
    const entry = this.#entry(id);
    if (isFinal(entry)) throw takesNoMessages(id, entry.status);
    if (key !== undefined && entry.keys.has(`${topic}\n${key}`)) return;
    if (key !== undefined) entry.keys.add(`${topic}\n${key}`);
    entry.messages.push({ topic, body: structuredClone(message) });
    if (entry.conditions.some((one) => this.#isThere(entry, one))) this.#requeue(entry);
    else this.#tell([id], true);
  }

  async decide(id: string, decision: StepDecision, by: string): Promise<void> {
    const entry = this.#entry(id);
    const condition = entry.conditions.find((one) => one.for === "unknown_outcome");
    if (condition === undefined) throw waitsForNoWord(id);
    const { name } = condition;
    const { outcome, message } = decided(name, decision, by);
    if (outcome === undefined) entry.steps.delete(name);
    else entry.steps.set(name, { name, outcome });
    addEvent(entry, { type: "step", step: name, message });
    this.#requeue(entry);
  }

  async cancel(id: string, reason: string | undefined): Promise<readonly string[]> {
    this.#entry(id);
    const open = this.#tree(id).filter((entry) => !isFinal(entry));
    for (const entry of open) this.#end(entry, "cancelled", reason);
    return open.map(({ job }) => job.id);
  }

  async resume(id: string): Promise<void> {
    const entry = this.#entry(id);
    if (entry.status !== "failed" && entry.status !== "cancelled") throw nothingToResume(id, entry.status);
    for (const [name, { outcome }] of entry.steps) if (outcome?.ok === false) entry.steps.delete(name);
    entry.finishedAt = undefined;
    entry.error = undefined;
    const now = new Date();
    if (entry.deadlineAt !== undefined) {
      const tookMs = Date.parse(entry.deadlineAt) - Date.parse(entry.resumedAt ?? entry.createdAt);
      entry.deadlineAt = new Date(now.getTime() + tookMs).toISOString();
    }
    entry.resumedAt = now.toISOString();
    entry.resumes += 1;
    entry.attempts = 0;
    this.#requeue(entry);
  }

  async report(events: readonly NewEvent[]): Promise<void> {
    for (const event of events) {
      const entry = this.#entries.get(event.jobId);
      if (entry !== undefined) addEvent(entry, event);
    }
    this.#tell([...new Set(events.map(({ jobId }) => jobId))], false);
  }

  async events(id: string, after: number): Promise<readonly JobEvent[]> {
    return this.#entry(id).events.slice(after, after + 1000);
  }

  async putSchedule(schedule: Schedule): Promise<void> {
    this.#schedules.set(schedule.name, schedule);
  }

  async schedules(): Promise<readonly Schedule[]> {
    return [...this.#schedules.values()];
  }

  async removeSchedule(name: string): Promise<boolean> {
    return this.#schedules.delete(name);
  }

  async moveSchedule(
    { schedule, dueAt }: DueSchedule,
    next: Pick<Schedule, "nextAt" | "lastAt" | "lastJobId">,
  ): Promise<boolean> {
    const kept = this.#schedules.get(schedule.name);
    if (kept?.nextAt !== dueAt) return false;
    const { nextAt: _due, ...rest } = kept;
    this.#schedules.set(schedule.name, { ...rest, ...next });
    return true;
  }

  async tend(): Promise<void> {
    const now = Date.now();
    for (const entry of this.#entries.values()) {
      if (entry.status !== "queued" && entry.status !== "waiting") continue;
      if (entry.deadlineAt !== undefined && Date.parse(entry.deadlineAt) <= now)
        this.#fail(entry, overdue(entry.deadlineAt));
      else if (entry.conditions.some((one) => this.#isThere(entry, one))) this.#requeue(entry);
    }
    this.#forgetting.tend(now);
  }

  async endedTrees(beforeMs: number): Promise<EndedTrees> {
    return { trees: this.#forgetting.trees(beforeMs) };
  }

  async forget(trees: EndedTrees["trees"], beforeMs: number): Promise<number> {
    return this.#forgetting.forget(trees, beforeMs);
  }

  async waiting(kinds: readonly string[]): Promise<readonly Job[]> {
    return [...this.#waiting].filter((one) => kinds.includes(one.job.kind)).map(shown);
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw noSuchJob(id);
    return entry;
  }

  #current({ id, run }: RunKey): Entry | undefined {
    const entry = this.#entries.get(id);
    return entry?.status === "running" && entry.run === run ? entry : undefined;
  }

  #tree(id: string): readonly Entry[] {
    const entry = this.#entries.get(id);
    return entry === undefined ? [] : treeFrom(entry);
  }

  /** How many other jobs of its session run in its queue. */
  #running({ job }: Entry): number {
    if (job.sessionId === undefined) return 0;
    return [...this.#entries.values()].filter(
      (one) => one.status === "running" && one.job.sessionId === job.sessionId && one.job.queue === job.queue,
    ).length;
  }

  #isThere(entry: Entry, condition: Condition): boolean {
    if (condition.for === "message" && entry.messages.some(({ topic }) => topic === condition.topic)) {
      return true;
    }
    return this.#firstEnded(condition) !== undefined || isOver(condition);
  }

  #takeOut(entry: Entry, condition: Condition): { readonly value: Json | undefined } | undefined {
    if (condition.for === "job") {
      const first = this.#firstEnded(condition);
      return first === undefined ? undefined : { value: first };
    }
    const at =
      condition.for === "message" ? entry.messages.findIndex(({ topic }) => topic === condition.topic) : -1;
    const [message] = at < 0 ? [] : entry.messages.splice(at, 1);
    return message === undefined ? undefined : { value: message.body };
  }

  #firstEnded({ jobIds }: Condition): string | undefined {
    const ended = jobIds
      .map((id) => this.#entries.get(id))
      .filter((one): one is Entry => one !== undefined && isFinal(one));
    return ended.toSorted((a, b) => ((a.finishedAt ?? "") < (b.finishedAt ?? "") ? -1 : 1))[0]?.job.id;
  }

  #requeue(entry: Entry): void {
    entry.run += 1;
    entry.worker = undefined;
    entry.conditions = [];
    this.#held.delete(entry);
    this.#move(entry, "queued");
    this.#ticket(entry);
  }

  #end(entry: Entry, status: "completed" | "failed" | "cancelled", message: string | undefined): void {
    entry.finishedAt = new Date().toISOString();
    entry.conditions = [];
    this.#held.delete(entry);
    this.#move(entry, status, message);
    for (const other of [...this.#waiting]) {
      if (other.conditions.some(({ jobIds }) => jobIds.includes(entry.job.id))) this.#requeue(other);
    }
    this.#release(entry);
  }

  #fail(entry: Entry, { error, withChildren = false }: Extract<JobEnd, { status: "failed" }>): void {
    entry.error = error;
    this.#end(entry, "failed", error.message);
    if (!withChildren) return;
    for (const one of this.#tree(entry.job.id)) {
      if (!isFinal(one)) this.#end(one, "cancelled", `The job ${entry.job.id} has passed its deadline.`);
    }
  }

  /** A place in the session came free: one of those that it was full for comes up again. */
  #release({ job }: Entry): void {
    const [next] = [...this.#held]
      .filter(({ job: other }) => other.sessionId === job.sessionId && other.queue === job.queue)
      .toSorted((a, b) => a.job.priority - b.job.priority || a.number - b.number);
    if (next === undefined) return;
    this.#held.delete(next);
    next.run += 1;
    this.#ticket(next);
  }

  #move(entry: Entry, status: Entry["status"], message?: string): void {
    entry.status = status;
    if (status === "waiting") this.#waiting.add(entry);
    else this.#waiting.delete(entry);
    addEvent(entry, { type: "status", status, ...(message === undefined ? {} : { message }) });
    this.#tell([entry.job.id], status === "cancelled");
  }

  #ticket({ job, run, depth, number }: Entry, notBeforeMs?: number): void {
    const { id, queue, priority } = job;
    this.#dispatch({
      id,
      run,
      number,
      queue,
      depth,
      priority,
      ...(notBeforeMs === undefined ? {} : { notBeforeMs }),
    });
  }

  #tell(ids: readonly string[], concernsRuns: boolean): void {
    for (const listener of this.#listeners) listener(ids, concernsRuns);
  }
}

function isFinal({ status }: Entry): boolean {
  return FINAL_STATUSES.includes(status);
}

function isOver({ untilMs }: Condition): boolean {
  return untilMs !== undefined && untilMs <= Date.now();
}
