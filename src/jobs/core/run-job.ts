import { inTime } from "../../lib/in-time.ts";
import type { Json } from "../../lib/json.ts";
import type { HandlerOptions, JobHandler } from "../handler.ts";
import type { Job } from "../job.ts";
import type { JobEnd, Ledger, RunKey } from "../ledger.ts";
import { failureOf, overdue } from "./job-error.ts";
import type { JobRun } from "./job-run.ts";

/** How jobs of a kind are run. */
export interface Registered {
  readonly handler: JobHandler;
  readonly options: HandlerOptions;
}

/** A run that was taken up. */
export interface TakenUp {
  readonly ledger: Ledger;
  readonly key: RunKey;
  readonly run: JobRun;
  readonly job: Job;
  readonly kind: Registered | undefined;
  /** How long its handler may take to leave once it was stopped. Milliseconds. */
  readonly leaveMs: number;
  /** Writes down what the run told. */
  readonly flush: () => Promise<void>;
}

const DEFAULT_MAX_ATTEMPTS = 10;

/** Runs a job's handler up to its end or to where it leaves this process, and writes down what came of it. */
export async function runJob(one: TakenUp): Promise<void> {
  const { ledger, key, run, job, kind } = one;
  const refusal = whyNot(job, kind);
  if (refusal !== undefined || kind === undefined) {
    if (refusal !== undefined) await ledger.settle(key, refusal);
    return;
  }
  const timer = deadlineTimer(job, run);
  try {
    const { end, hasLeft } = await handled(one, kind);
    await one.flush();
    if (end !== undefined) await ledger.settle(key, end);
    // One that doesn't leave may still act: it is taken up elsewhere when this process has ended.
    else if (run.reason === "handed over" && hasLeft) await ledger.giveBack(key);
  } finally {
    clearTimeout(timer);
  }
}

function whyNot(job: Job, kind: Registered | undefined): JobEnd | undefined {
  if (kind === undefined) {
    return failed("unsupported", `This worker has no handler for jobs of the kind ${job.kind}.`);
  }
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS } = kind.options;
  if (job.attempts > maxAttempts) {
    const text = `Its worker ended ${maxAttempts} times while it ran this job, which got no further: it is not run again.`;
    return failed("poison", text);
  }
  return job.deadlineAt !== undefined && Date.parse(job.deadlineAt) <= Date.now()
    ? overdue(job.deadlineAt)
    : undefined;
}

/** How a handler left: without an end when its run was stopped. */
interface Left {
  readonly end: JobEnd | undefined;
  readonly hasLeft: boolean;
}

async function handled({ run, job, leaveMs }: TakenUp, { handler }: Registered): Promise<Left> {
  let end: JobEnd | undefined;
  const work = (async (): Promise<void> => {
    try {
      const result: Json | undefined = await handler(job.input, run.context);
      end = { status: "completed", result };
    } catch (error) {
      end = { status: "failed", error: failureOf(error) };
    }
  })();
  const stopped = new Promise<void>((resolve) => {
    if (run.signal.aborted) resolve();
    else run.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([work, stopped]);
  // A handler that doesn't mind the signal is left behind: nothing that it does is recorded any more.
  if (end === undefined) await inTime(work, leaveMs);
  const hasLeft = end !== undefined;
  if (run.reason === undefined) return { end, hasLeft };
  return { end: run.reason === "deadline" ? overdue(job.deadlineAt) : undefined, hasLeft };
}

/** Longest time that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function deadlineTimer({ deadlineAt }: Job, run: JobRun): NodeJS.Timeout | undefined {
  if (deadlineAt === undefined) return undefined;
  const ms = Date.parse(deadlineAt) - Date.now();
  return setTimeout(() => run.stop("deadline"), Math.min(Math.max(ms, 0), MAX_TIMER_MS));
}

function failed(code: string, message: string): JobEnd {
  return { status: "failed", error: { code, message } };
}
