import { deepStrictEqual, rejects } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, isToolgateError } from "../../errors.ts";
import type { JobEngine } from "../../jobs/engine.ts";
import type { JobRequest } from "../../jobs/handler.ts";
import type { Job, JobEvent, JobStatus } from "../../jobs/job.ts";
import type { MaybePromise } from "../../lib/json.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { type Act, asJson } from "./script.ts";

/** A process that runs jobs. */
export interface JobWorker {
  /** At once, as a crash would. */
  kill(): MaybePromise<void>;
  /** As its system would: SIGTERM. Settles when it has ended. */
  stop(): Promise<void>;
}

/** What an implementer gives the suite to work in. */
export interface JobWorld {
  /** Has the suite's kinds of jobs, and is launched with its queues (`registerScripts`, `SCRIPT_QUEUES`). */
  readonly engine: JobEngine;
  /** A folder of the row's own. */
  readonly folder: string;
  /** An engine on the same data as another process would have it, not launched. The suite disposes of it. */
  readonly another?: () => MaybePromise<JobEngine>;
  /**
   * A process with an engine on the same data, with the suite's kinds of jobs, launched with one queue. Settles when it runs. The suite
   * stops it.
   */
  readonly worker?: (queue: string) => Promise<JobWorker>;
  readonly dispose?: () => MaybePromise<void>;
}

/** Which parts of a world a row needs. */
export type JobNeed = "another" | "worker";

/** One promise of an engine. */
export interface JobRow {
  readonly title: string;
  readonly needs?: JobNeed;
  readonly test: (place: JobPlace) => Promise<void>;
}

const PATIENCE_MS = 30_000;

/** A row's place: its engine, its jobs' names and its files. */
export class JobPlace {
  readonly engine: JobEngine;
  readonly #world: JobWorld;
  readonly #name = `row-${randomHex(4)}`;
  readonly #workers: JobWorker[] = [];
  readonly #engines: JobEngine[] = [];

  constructor(world: JobWorld) {
    this.#world = world;
    this.engine = world.engine;
  }

  /** A name that no other row has. */
  name(name: string): string {
    return `${this.#name}-${name}`;
  }

  /** A file of the row's own. */
  file(name: string): string {
    return join(this.#world.folder, `${this.#name}-${name}`);
  }

  /** The lines of a file: which steps had their effect, in order. */
  lines(name: string): readonly string[] {
    const path = this.file(name);
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
  }

  /** Starts a scripted job. */
  start(name: string, acts: readonly Act[], more: Partial<JobRequest> = {}): Promise<string> {
    return this.engine.enqueue({ id: this.name(name), kind: "script", input: acts.map(asJson), ...more });
  }

  /** A job when it has ended. */
  end(id: string): Promise<Job> {
    return this.engine.wait(id, AbortSignal.timeout(PATIENCE_MS));
  }

  /** A job once it is so. */
  async until(id: string, status: JobStatus, engine: JobEngine = this.engine): Promise<Job> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const job = await engine.get(id);
      if (job?.status === status) return job;
      if (Date.now() > end) throw new Error(`${id} is ${job?.status}, and ${status} was expected.`);
      await sleep(20);
    }
  }

  /** Settles once something holds. */
  async once(what: () => MaybePromise<boolean>): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!(await what())) {
      if (Date.now() > end) throw new Error(`It never came to ${what}.`);
      await sleep(20);
    }
  }

  /** What is known of a job's events. */
  async events(id: string, after = 0): Promise<readonly JobEvent[]> {
    return all(this.engine.events(id, { after }));
  }

  async another(): Promise<JobEngine> {
    const engine = await this.#world.another?.();
    if (engine === undefined) throw new Error("The world has no other engine.");
    this.#engines.push(engine);
    return engine;
  }

  /** A worker for the row's own queue. */
  async worker(): Promise<JobWorker> {
    const worker = await this.#world.worker?.(this.name("queue"));
    if (worker === undefined) throw new Error("The world has no workers.");
    this.#workers.push(worker);
    return worker;
  }

  async close(): Promise<void> {
    for (const engine of this.#engines) await engine[Symbol.asyncDispose]();
    for (const worker of this.#workers) await worker.kill();
    // What a row left would take up places that others need.
    const left = await this.engine.list({ status: ["queued", "running", "waiting"], limit: 1000 });
    for (const { id } of left.items) if (id.startsWith(this.#name)) await this.engine.cancel(id);
  }
}

/** Everything that comes, in order. */
export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

/** Holds a promise to its rejection. */
export function refuses(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  return rejects(work, (error) => {
    if (isToolgateError(error, code)) return true;
    throw new Error(`${code} was expected, and this came: ${String(error)}`, { cause: error });
  });
}

export { deepStrictEqual as equal };
