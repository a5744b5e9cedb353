import { ToolgateError } from "../errors.ts";
import type { CallContext } from "../tool.ts";
import type { CommandOptions } from "./bash/run.ts";
import { jobStatus, ShellJob } from "./bash/shell-job.ts";

/** Jobs of one session that may run at a time, and ended ones that are remembered. */
const MAX_RUNNING = 32;
const MAX_ENDED = 64;

/** The background commands of a session. Disposing stops them all and waits until they have ended. */
export class ShellJobs implements AsyncDisposable {
  readonly #jobs = new Map<string, ShellJob>();
  #next = 1;

  /**
   * Starts a command.
   * @throws ToolgateError `unsupported` when too many run already, `invalid_input`
   */
  start(options: Omit<CommandOptions, "signal" | "onBytes">): ShellJob {
    const running = this.list().filter((job) => job.running);
    if (running.length >= MAX_RUNNING) {
      throw new ToolgateError("unsupported", `${MAX_RUNNING} background commands run already.`, {
        hint: `Stop one with BashStop first: ${running.map((job) => job.id).join(", ")}.`,
      });
    }
    const job = new ShellJob(`bash_${this.#next}`, options);
    this.#next++;
    this.#jobs.set(job.id, job);
    this.#forgetOld();
    return job;
  }

  get(id: string): ShellJob | undefined {
    return this.#jobs.get(id);
  }

  /** All that are known, oldest first. */
  list(): readonly ShellJob[] {
    return [...this.#jobs.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.list().map((job) => job.stop()));
  }

  #forgetOld(): void {
    const ended = this.list().filter((job) => !job.running);
    for (const job of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#jobs.delete(job.id);
  }
}

/** Jobs by session, or by backend for calls without one. Lets tools that were made apart find each other's jobs. */
const JOBS = new WeakMap<object, ShellJobs>();

/** The jobs of the session that a call belongs to. */
export function jobsOf({ state, backend }: CallContext): ShellJobs {
  const owner = state ?? backend;
  const known = JOBS.get(owner) ?? new ShellJobs();
  JOBS.set(owner, known);
  return known;
}

/** A job by its id. @throws ToolgateError `not_found` with the ids that there are */
export function jobNamed(jobs: ShellJobs, id: string): ShellJob {
  const job = jobs.get(id);
  if (job !== undefined) return job;
  const known = jobs
    .list()
    .map((other) => `${other.id} (${jobStatus(other)}): ${other.command.slice(0, 80)}`);
  const hint = known.length === 0 ? "There is none in this session." : `There are: ${known.join("; ")}.`;
  throw new ToolgateError("not_found", `No background command has the id ${JSON.stringify(id)}.`, { hint });
}
