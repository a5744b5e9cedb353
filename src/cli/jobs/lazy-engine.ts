import { ToolgateError } from "../../errors.ts";
import type {
  EventsOptions,
  JobEngine,
  JobPage,
  JobQuery,
  LaunchOptions,
  Pruned,
  PruneOptions,
  Schedule,
  ScheduleRequest,
  StepDecision,
} from "../../jobs/engine.ts";
import type { HandlerOptions, JobHandler, JobRequest } from "../../jobs/handler.ts";
import type { Job, JobEvent } from "../../jobs/job.ts";
import type { Json } from "../../lib/json.ts";

/** What was opened. Disposing ends the engine with what was started for it. */
export interface OpenedEngine extends AsyncDisposable {
  readonly engine: JobEngine;
  /** How it takes part. @default it runs nothing: others do */
  readonly launch?: LaunchOptions;
}

/** What {@link LazyEngine} takes. */
export interface LazyEngineOptions {
  readonly open: () => Promise<OpenedEngine>;
  /** Whether there may be jobs already: what only looks opens nothing where there are none. */
  readonly mayHaveJobs: () => boolean;
  /** Where jobs are looked for that aren't in this one. */
  readonly elsewhere?: JobEngine;
}

type Kind = Parameters<JobEngine["register"]>;

/** An engine that is opened when a job is first started, or looked for where there may be some. */
export class LazyEngine implements JobEngine {
  readonly #options: LazyEngineOptions;
  readonly #kinds: Kind[] = [];
  #opening: Promise<OpenedEngine> | undefined;
  #opened: JobEngine | undefined;
  #isClosed = false;

  constructor(options: LazyEngineOptions) {
    this.#options = options;
  }

  get kind(): string {
    return this.#opened?.kind ?? "none yet";
  }

  get isDurable(): boolean {
    return this.#opened?.isDurable ?? true;
  }

  register(kind: string, handler: JobHandler, options?: HandlerOptions): void {
    if (this.#opening !== undefined) {
      throw new ToolgateError("usage", "The engine is open: it takes no more kinds.");
    }
    this.#kinds.push([kind, handler, options]);
  }

  /** Opens it now, in the way that it is opened in. */
  async launch(): Promise<void> {
    await this.#open();
  }

  async drain(graceMs: number): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.engine.drain(graceMs);
  }

  async enqueue(request: JobRequest): Promise<string> {
    return (await this.#open()).enqueue(request);
  }

  async get(id: string): Promise<Job | undefined> {
    return (await (await this.#ifAny())?.get(id)) ?? this.#options.elsewhere?.get(id);
  }

  async list(query?: JobQuery): Promise<JobPage> {
    return (await (await this.#ifAny())?.list(query)) ?? { items: [] };
  }

  async result(id: string): Promise<Json | undefined> {
    return (await this.#with(id)).result(id);
  }

  async wait(id: string, signal?: AbortSignal): Promise<Job> {
    return (await this.#with(id)).wait(id, signal);
  }

  async cancel(id: string, reason?: string): Promise<readonly string[]> {
    return (await this.#with(id)).cancel(id, reason);
  }

  async resume(id: string): Promise<void> {
    return (await this.#with(id)).resume(id);
  }

  async send(id: string, topic: string, message: Json, key?: string): Promise<void> {
    return (await this.#with(id)).send(id, topic, message, key);
  }

  async decide(id: string, decision: StepDecision, by: string): Promise<void> {
    return (await this.#with(id)).decide(id, decision, by);
  }

  async prune(options: PruneOptions): Promise<Pruned> {
    return (await (await this.#ifAny())?.prune(options)) ?? { jobs: 0 };
  }

  async *events(id: string, options?: EventsOptions): AsyncGenerator<JobEvent, void, undefined> {
    yield* (await this.#with(id)).events(id, options);
  }

  async schedule(request: ScheduleRequest): Promise<Schedule> {
    return (await this.#open()).schedule(request);
  }

  async schedules(): Promise<readonly Schedule[]> {
    return (await (await this.#ifAny())?.schedules()) ?? [];
  }

  async unschedule(name: string): Promise<boolean> {
    return (await (await this.#ifAny())?.unschedule(name)) ?? false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await (await this.#opening?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async #ifAny(): Promise<JobEngine | undefined> {
    if (this.#opening === undefined && !this.#options.mayHaveJobs()) return undefined;
    return this.#open();
  }

  /** @throws ToolgateError `not_found` */
  async #with(id: string): Promise<JobEngine> {
    const { elsewhere } = this.#options;
    const engine = await this.#ifAny();
    if (engine !== undefined && (elsewhere === undefined || (await engine.get(id)) !== undefined))
      return engine;
    if (elsewhere !== undefined) return elsewhere;
    throw new ToolgateError("not_found", `There is no job ${id}.`);
  }

  async #open(): Promise<JobEngine> {
    if (this.#isClosed) throw new ToolgateError("aborted", "This process takes no more jobs.");
    if (this.#opening === undefined) {
      const opening = this.#begin();
      this.#opening = opening;
      // What failed once may be tried again.
      opening.catch(() => {
        this.#opening = undefined;
      });
    }
    return (await this.#opening).engine;
  }

  async #begin(): Promise<OpenedEngine> {
    const opened = await this.#options.open();
    const { engine, launch } = opened;
    try {
      for (const kind of this.#kinds) engine.register(...kind);
      if (launch !== undefined) await engine.launch(launch);
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
    this.#opened = engine;
    return opened;
  }
}
