import { type StopCause, stretchText } from "./answer.ts";
import { type CommandEnd, type CommandOptions, type CommandRun, runCommand } from "./run.ts";

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

/** How a job stands, in a few words. */
export function jobStatus(job: ShellJob): string {
  if (job.running) return `running for ${Math.round((Date.now() - job.startedAtMs) / 1000)} s`;
  const { end, failure } = job;
  if (end === undefined)
    return `could not start: ${failure instanceof Error ? failure.message : String(failure)}`;
  if (end.stopped) return "stopped";
  return end.signal === null ? `ended with exit code ${end.exitCode}` : `ended by signal ${end.signal}`;
}
