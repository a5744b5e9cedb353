import { ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import type { JobRequest } from "../handler.ts";
import type { NewJob } from "../ledger.ts";

const MAX_LENGTH = 300;
const DEFAULT_PRIORITY = 100;
const MAX_PRIORITY = 1_000_000;

/** An id for a job that was given none. */
export function newJobId(): string {
  return `job_${randomHex(8)}`;
}

/**
 * A request as it is written down.
 * @throws ToolgateError `invalid_input`
 */
export function newJob(request: JobRequest): NewJob {
  const { id = newJobId(), kind, input = null, queue = "default", priority = DEFAULT_PRIORITY } = request;
  checkName("id", id);
  checkName("kind", kind);
  checkName("queue", queue);
  if (!Number.isInteger(priority) || priority < 0 || priority > MAX_PRIORITY) {
    throw invalid(`priority is ${priority}: a whole number from 0 to ${MAX_PRIORITY} is expected.`);
  }
  const { label, sessionId, parentId, deadlineMs, notBefore } = request;
  if (deadlineMs !== undefined && !(deadlineMs > 0)) throw invalid(`deadlineMs is ${deadlineMs}.`);
  return {
    id,
    kind,
    input,
    queue,
    priority,
    ...(label === undefined ? {} : { label }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(parentId === undefined ? {} : { parentId }),
    ...(deadlineMs === undefined ? {} : { deadlineAt: new Date(Date.now() + deadlineMs).toISOString() }),
    ...(notBefore === undefined ? {} : { notBeforeMs: millisecondsOf(notBefore) }),
  };
}

/** @throws ToolgateError `invalid_input` */
export function millisecondsOf(time: string): number {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw invalid(`${JSON.stringify(time)} is no time: ISO 8601 is expected.`);
  return ms;
}

function checkName(what: string, name: string): void {
  const isGood = name.length > 0 && name.length <= MAX_LENGTH && name.isWellFormed() && !/\p{Cc}/u.test(name);
  if (isGood) return;
  throw invalid(
    `A job's ${what} is ${JSON.stringify(name.slice(0, 50))}: 1 to ${MAX_LENGTH} visible characters are expected.`,
  );
}

function invalid(message: string): ToolgateError {
  return new ToolgateError("invalid_input", message);
}
