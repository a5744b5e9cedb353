import { ToolgateError } from "../errors.ts";
import type { CallContext } from "../tool.ts";
import { type StopCause, stretchText } from "./bash-answer.ts";
import { type CommandEnd, type CommandOptions, type CommandRun, runCommand } from "./bash-run.ts";

/** Jobs of one session that may run at a time, and ended ones that are remembered. */
const MAX_RUNNING = 32;
const MAX_ENDED = 64;

/** A command that runs in the background. */
export class ShellJob {
  readonly id: string;
  readonly command: string;
  readonly startedAtMs: number = Date.now();
  /** Settles when it has ended, whatever way. */
  readonly ended: Promise<void>;
  readonly #run: CommandRun;
  readonly #controller: AbortController;
  readonly #waiting = new Set<() => void>();
  #readTo = 0;
  #end: CommandEnd | undefined;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs: number | undefined;
  #stopCause: StopCause;

  constructor(id: string, options: Omit<CommandOptions, "signal" | "onBytes">) {
    this.id = id;
    this.command = options.command;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    this.#run = runCommand({ ...options, signal, onBytes: () => this.#wake() });
    this.ended = this.#run.ended.then(
      (end) => this.#finish(end, undefined),
      (error: unknown) => this.#finish(undefined, error),
    );
  }

  get running(): boolean {
    return this.#end === undefined && this.#failure === undefined;
  }

  /** How it ended; `undefined` while it runs and when it could not start. */
  get end(): CommandEnd | undefined {
    return this.#end;
  }

  /** Why it could not be started. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Where output goes that is too long to be kept in memory. */
  get path(): string {
    return this.#run.log.path;
  }

  /** Whether {@link path} holds anything yet. */
  get saved(): boolean {
    return this.#run.log.saved > 0;
  }

  /** Why it was stopped. */
  get stopCause(): StopCause {
    return this.#stopCause;
  }

  /** After how many milliseconds it is stopped, if ever. */
  get timeoutMs(): number | undefined {
    return this.#timeoutMs;
  }

  /** Whether there is output that hasn't been read. */
  get unread(): boolean {
    return this.#run.log.total > this.#readTo;
  }

  /** Output that hasn't been read yet, bounded; it counts as read from then on. */
  async read(): Promise<string> {
    const { log } = this.#run;
    const start = this.#readTo;
    const end = log.total;
    this.#readTo = end;
    return stretchText(log, { start, end, shown: "" });
  }

  /** Settles when there is output to read, when the job has ended, or after so many milliseconds. */
  async news(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.unread || !this.running || waitMs <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      signal.addEventListener("abort", done, { once: true });
      this.#waiting.add(done);
    });
  }

  /** Stops it when it still runs after so many milliseconds. */
  stopAfter(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.#abort("timeout"), timeoutMs);
  }

  /** Stops it and everything it started; settles when that has ended. */
  async stop(): Promise<void> {
    if (this.running) this.#abort("abort");
    await this.ended;
  }

  #abort(cause: StopCause): void {
    this.#stopCause ??= cause;
    this.#controller.abort();
  }

  #finish(end: CommandEnd | undefined, failure: unknown): void {
    clearTimeout(this.#timer);
    this.#end = end;
    this.#failure = failure;
    this.#wake();
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}

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

/** How a job stands, in a few words. */
export function jobStatus(job: ShellJob): string {
  if (job.running) return `running for ${Math.round((Date.now() - job.startedAtMs) / 1000)} s`;
  const { end, failure } = job;
  if (end === undefined)
    return `could not start: ${failure instanceof Error ? failure.message : String(failure)}`;
  if (end.stopped) return "stopped";
  return end.signal === null ? `ended with exit code ${end.exitCode}` : `ended by signal ${end.signal}`;
}
