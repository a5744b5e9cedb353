import type { JobNotice } from "../../jobs/agents/started.ts";
import type { JobSummary } from "../../jobs/job.ts";
import type { Store } from "../../store.ts";
import type { SessionParts } from "../preset.ts";
import type { Session } from "../session.ts";
import { jobsNeedModel, type Models } from "./models.ts";
import type { OwnJobs } from "./own-jobs.ts";

/** What one session's jobs are made of. */
export interface SessionJobsOptions {
  readonly project: string;
  readonly models: () => Promise<Models>;
  /** Keeps the questions of sub-agents, for others to answer. @default those that nobody answers are denied */
  readonly store?: Store;
  /** Told of the end of each job. */
  readonly onNotice?: (notice: JobNotice) => void;
}

/** The jobs of one session, in this process: what they are made of is loaded when the session has a use for it. */
export class SessionJobs implements AsyncDisposable {
  readonly #options: SessionJobsOptions;
  #session: Session | undefined;
  #making: Promise<OwnJobs> | undefined;

  constructor(options: SessionJobsOptions) {
    this.#options = options;
  }

  /** What gives the session its tools. They are made when they are registered, and need {@link belongTo} when one is called. */
  readonly parts: Pick<SessionParts, "jobs" | "schedules"> = {
    jobs: async (toolkit) => (await this.#made()).jobs.tools(toolkit),
    schedules: async () => (await this.#made()).schedules,
  };

  /** Names the session. */
  belongTo(session: Session): void {
    this.#session = session;
  }

  /** What hasn't ended, without what is below it. */
  async open(): Promise<readonly JobSummary[]> {
    const made = await this.#making?.catch(() => undefined);
    return made === undefined || this.#session === undefined ? [] : made.jobs.open(this.#session.toolkit);
  }

  /** Ends what hasn't ended, and answers it. */
  async stop(reason: string): Promise<readonly JobSummary[]> {
    const made = await this.#making?.catch(() => undefined);
    if (made === undefined || this.#session === undefined) return [];
    return made.jobs.stopAll(this.#session.toolkit, reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("Its session has ended.");
    await (await this.#making?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  #made(): Promise<OwnJobs> {
    this.#making ??= this.#make();
    return this.#making;
  }

  async #make(): Promise<OwnJobs> {
    const models = await this.#options.models();
    if (!models.isConfigured) throw jobsNeedModel();
    const { ownJobs } = await import("./own-jobs.ts");
    const session = (): Session => {
      if (this.#session === undefined) throw new Error("The session isn't open yet.");
      return this.#session;
    };
    return ownJobs({ ...this.#options, models, session });
  }
}
