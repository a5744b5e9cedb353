import { ToolgateError } from "../../errors.ts";
import type { CallContext } from "../../tool.ts";
import type { JobEngine } from "../engine.ts";
import type { Job } from "../job.ts";
import { isBelow } from "./job-words.ts";

/** What calls that wait for jobs have in common. */
export interface JobWaitsOptions {
  readonly engine: JobEngine;
  /** How long a call waits. Milliseconds. */
  readonly waitMs: number;
  /** Ends a job whose call was given up. */
  readonly stop: (id: string, reason: string) => Promise<unknown>;
}

/** Calls that wait for the end of jobs, and show how those get on meanwhile. */
export class JobWaits {
  readonly #options: JobWaitsOptions;
  readonly #open = new Set<{ readonly id: string; readonly over: AbortController }>();

  constructor(options: JobWaitsOptions) {
    this.#options = options;
  }

  /**
   * A job as it is when it has ended, when it or one below it has asked a person who isn't here, or when the call has waited long enough.
   * Who gives the call up ends its job. Nobody waits after `closing` aborts.
   */
  async waitFor(id: string, context: CallContext, closing: AbortSignal): Promise<Job> {
    const { engine, waitMs, stop } = this.#options;
    const { signal } = context;
    const wait = { id, over: new AbortController() };
    this.#open.add(wait);
    const either = AbortSignal.any([signal, AbortSignal.timeout(waitMs), wait.over.signal, closing]);
    void showProgress(engine, id, context, either);
    try {
      return await engine.wait(id, either);
    } catch (error) {
      if (!either.aborted) throw error;
    } finally {
      this.#open.delete(wait);
    }
    if (signal.aborted) {
      await stop(id, "The call that waited for it was given up.");
      throw signal.reason;
    }
    const job = await engine.get(id);
    if (job !== undefined) return job;
    throw new ToolgateError("not_found", `The job ${id} is gone.`);
  }

  /** A question of a job stays in the store: calls that wait for it, or for one that it is below, end. */
  questionLeft(jobId: string): void {
    const { engine } = this.#options;
    for (const { id, over } of this.#open) {
      const look = async (): Promise<void> => {
        const job = await engine.get(jobId);
        if (job !== undefined && (job.id === id || (await isBelow(engine, job, id)))) over.abort();
      };
      void look().catch(() => undefined);
    }
  }
}

async function showProgress(
  engine: JobEngine,
  id: string,
  context: CallContext,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { jobId, progress } of engine.events(id, { follow: true, signal })) {
      if (progress !== undefined && !signal.aborted) {
        context.progress(`${jobId}: ${progress.message}`, progress.done, progress.total);
      }
    }
  } catch {
    // Given up together with the wait.
  }
}
