import type { Json } from "../../lib/json.ts";
import { randomHex } from "../../lib/random-hex.ts";
import type { Retention } from "../core/retention.ts";
import type { JobPage, JobQuery, Schedule, StepDecision } from "../engine.ts";
import type { Job, JobEvent } from "../job.ts";
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
} from "../ledger.ts";
import { cancel } from "./cancel.ts";
import * as events from "./events.ts";
import * as jobs from "./jobs.ts";
import type { Parts } from "./parts.ts";
import * as retention from "./retention.ts";
import * as runs from "./runs.ts";
import * as schedules from "./schedules.ts";
import * as steps from "./steps.ts";
import { Tender } from "./tend.ts";

/** A ledger's parts once its database is open, and what to close at the end. */
export interface OpenParts extends Parts {
  readonly close: () => Promise<void>;
}

/** A ledger in Postgres. Opens its database when it is first used, and again when that failed. */
export class PostgresLedger implements Ledger {
  readonly #open: () => Promise<OpenParts>;
  readonly #retention: Retention;
  #opening: Promise<OpenParts> | undefined;
  #tender: Tender | undefined;

  constructor(open: () => Promise<OpenParts>, kept: Retention) {
    this.#open = open;
    this.#retention = kept;
  }

  /** Its parts, open. */
  parts(): Promise<OpenParts> {
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#open();
    this.#opening = opening;
    opening.catch(() => {
      this.#opening = undefined;
    });
    return opening;
  }

  async add(job: NewJob): Promise<void> {
    return jobs.add(await this.parts(), job);
  }

  async get(id: string): Promise<Job | undefined> {
    return jobs.get(await this.parts(), id);
  }

  async list(query: JobQuery): Promise<JobPage> {
    return jobs.list(await this.parts(), query);
  }

  async result(id: string): Promise<Json | undefined> {
    return jobs.result(await this.parts(), id);
  }

  async begin(key: RunKey, worker: string, perSession?: number): Promise<Begun | undefined> {
    return runs.begin(await this.parts(), key, worker, perSession);
  }

  async settle(key: RunKey, end: JobEnd): Promise<boolean> {
    return runs.settle(await this.parts(), key, end);
  }

  async suspend(key: RunKey, conditions: readonly Condition[]): Promise<boolean> {
    return runs.suspend(await this.parts(), key, conditions);
  }

  async giveBack(key: RunKey): Promise<boolean> {
    return runs.giveBack(await this.parts(), key);
  }

  async current(keys: readonly RunKey[]): Promise<readonly RunKey[]> {
    return runs.current(await this.parts(), keys);
  }

  async beginStep(key: RunKey, name: string): Promise<boolean> {
    return steps.beginStep(await this.parts(), key, name);
  }

  async endStep(key: RunKey, name: string, outcome: StepOutcome): Promise<boolean> {
    return steps.endStep(await this.parts(), key, name, outcome);
  }

  async take(key: RunKey, condition: Condition): Promise<Taken | undefined> {
    return steps.take(await this.parts(), key, condition);
  }

  async send(
    id: string,
    topic: string,
    message: Json | undefined,
    key: string = randomHex(12),
  ): Promise<void> {
    return steps.send(await this.parts(), id, topic, message, key);
  }

  async decide(id: string, decision: StepDecision, by: string): Promise<void> {
    return steps.decide(await this.parts(), id, decision, by);
  }

  async cancel(id: string, reason: string | undefined): Promise<readonly string[]> {
    return cancel(await this.parts(), id, reason);
  }

  async resume(id: string): Promise<void> {
    return jobs.resume(await this.parts(), id);
  }

  async report(news: readonly NewEvent[]): Promise<void> {
    return events.report(await this.parts(), news);
  }

  async events(id: string, after: number): Promise<readonly JobEvent[]> {
    return events.events(await this.parts(), id, after);
  }

  async endedTrees(beforeMs: number, after: string | undefined): Promise<EndedTrees> {
    return retention.endedTrees(await this.parts(), beforeMs, after);
  }

  async forget(trees: EndedTrees["trees"], beforeMs: number): Promise<number> {
    return retention.forget(await this.parts(), trees, beforeMs);
  }

  async putSchedule(schedule: Schedule): Promise<void> {
    return schedules.put(await this.parts(), schedule);
  }

  async schedules(): Promise<readonly Schedule[]> {
    return schedules.all(await this.parts());
  }

  async removeSchedule(name: string): Promise<boolean> {
    return schedules.remove(await this.parts(), name);
  }

  async moveSchedule(
    due: DueSchedule,
    next: Pick<Schedule, "nextAt" | "lastAt" | "lastJobId">,
  ): Promise<boolean> {
    return schedules.move(await this.parts(), due, next);
  }

  async tend(worker: string, keys: readonly RunKey[]): Promise<void> {
    this.#tender ??= new Tender(await this.parts(), this.#retention);
    await this.#tender.tend(worker, keys);
  }

  async waiting(kinds: readonly string[]): Promise<readonly Job[]> {
    return runs.waiting(await this.parts(), kinds);
  }

  onChange(listener: ChangeListener): () => void {
    const listening = this.parts().then(({ line }) => line.onChange(listener));
    listening.catch(() => undefined);
    return () => void listening.then((stop) => stop()).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const parts = await this.#opening?.catch(() => undefined);
    await parts?.close();
  }
}
