import { inTime } from "../../lib/in-time.ts";
import { RUN_SCRIPT } from "./run-script.ts";
import type { Transport, TransportEnd, TransportRun } from "./transport.ts";

const END_MS = 2000;

/** What a shell is told of one run. */
export interface Job {
  /** What it reads: the settings and the word that the run is over. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Takes all that comes while it is at the run. */
  readonly onOutput: NonNullable<TransportRun["onOutput"]>;
  /** Resolves when the program has begun, or never will. */
  readonly begun: Promise<void>;
  /** Resolves when it says that it has done with the run and nobody holds the run's outputs. */
  readonly free: Promise<void>;
  /** Aborting lets go of the shell. */
  readonly signal: AbortSignal;
}

/** A job on its way. It is over when the shell has done with it or has ended, then by how; it fails when the place can't be reached. */
export interface Errand {
  readonly job: Job;
  readonly over: PromiseWithResolvers<TransportEnd | undefined>;
}

/** How a shell came to its end: why it could not be had or was lost, if it was. */
export type RunnerEnd = TransportEnd | { readonly failure: unknown };

/** A `sh` in the place that runs one program after the other. */
export class Runner {
  /** When it was started, by `performance.now()`. */
  readonly born: number = performance.now();
  readonly #letGo = new AbortController();
  readonly #ended = Promise.withResolvers<RunnerEnd>();
  #isThere = false;
  #hasEnded = false;
  #errand: Errand | undefined;

  /** Whether it has asked for a run. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /**
   * Starts it. `next` is asked for a run when the shell is there and whenever it has done with one; at the answer `undefined` it ends.
   * Never rejects.
   */
  async start(
    transport: Transport,
    next: (runner: Runner) => Promise<Errand | undefined>,
  ): Promise<RunnerEnd> {
    const end = await transport
      .run(["sh", "-c", RUN_SCRIPT, "toolgate"], {
        stdin: this.#feed(next),
        rests: () => this.#errand === undefined,
        signal: this.#letGo.signal,
        onOutput: (bytes, stream) => this.#errand?.job.onOutput(bytes, stream),
      })
      .catch((failure: unknown) => ({ failure }));
    this.#hasEnded = true;
    this.#ended.resolve(end);
    return end;
  }

  /** Waits until it has come to its end, after it has been told that nothing more is to do. */
  async end(): Promise<void> {
    if (!(await inTime(this.#ended.promise, END_MS))) this.#letGo.abort();
    await this.#ended.promise;
  }

  async *#feed(next: (runner: Runner) => Promise<Errand | undefined>): AsyncGenerator<Uint8Array> {
    this.#isThere = true;
    while (!this.#hasEnded) {
      const errand = await next(this);
      if (errand === undefined) return;
      const { job, over } = errand;
      this.#errand = errand;
      // It may even have ended while this was on its way to it.
      const ended = this.#ended.promise.then((end) => settle(errand, end));
      const letGo = (): void => this.#letGo.abort();
      job.signal.addEventListener("abort", letGo, { once: true });
      yield* job.input;
      await Promise.race([job.free, ended]);
      job.signal.removeEventListener("abort", letGo);
      this.#errand = undefined;
      over.resolve(undefined);
    }
  }
}

/** Says how the shell came to its end to whoever it was at work for. */
export function settle({ over }: Errand, end: RunnerEnd): void {
  if ("failure" in end) over.reject(end.failure);
  else over.resolve(end);
}
