import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { JobError } from "../job.ts";
import type { JobEnd } from "../ledger.ts";

const MAX_MESSAGE = 4000;

/** A thrown value as a job keeps it. */
export function jobError(thrown: unknown, step?: string): JobError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code = isToolgateError(thrown) ? thrown.code : "failed";
  return {
    code,
    message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message,
    ...(step === undefined ? {} : { step }),
  };
}

/** A step's failure as it was recorded: what its callers are thrown, the first time and each time after. */
export class StepFailed extends Error {
  override readonly name: string = "StepFailed";
  readonly code: string;
  readonly step: string;

  constructor({ code, message }: JobError, step: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.step = step;
  }
}

/** A job's failure by what its handler threw. */
export function failureOf(thrown: unknown): JobError {
  if (!(thrown instanceof StepFailed)) return jobError(thrown);
  return { code: thrown.code, message: thrown.message, step: thrown.step };
}

/** There is no job of an id. */
export function noSuchJob(id: string): ToolgateError {
  return new ToolgateError("not_found", `There is no job ${id}.`);
}

/** A job gets no child, since it has ended. */
export function parentEnded(id: string): ToolgateError {
  return new ToolgateError("stale", `The job ${id} has ended: it gets no more children.`);
}

/** A job gets no message, since it has ended. */
export function takesNoMessages(id: string, status: string): ToolgateError {
  return new ToolgateError("stale", `The job ${id} is ${status}: it takes no messages.`);
}

/** Nobody has asked for a word on a step. */
export function waitsForNoWord(id: string): ToolgateError {
  return new ToolgateError("stale", `The job ${id} waits for no word on a step.`);
}

/** A job can't be resumed. */
export function nothingToResume(id: string, status: string): ToolgateError {
  return new ToolgateError("stale", `The job ${id} is ${status}: there is nothing to resume.`);
}

/** How a job ends that has passed its deadline. */
export function overdue(deadlineAt: string | undefined): Extract<JobEnd, { status: "failed" }> {
  const error: JobError = { code: "timeout", message: `It was not done by ${deadlineAt}.` };
  return { status: "failed", error, withChildren: true };
}
