import { setTimeout as sleep } from "node:timers/promises";

/** How long a Postgres server may be away before who needs it is told. */
const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;

/** SQLSTATE classes and codes of statements that weren't done: a server that starts, stops or is full, deadlocks, locks. */
const NOT_DONE = /^(?:57P0[1-3]|40001|40P01|53300|55P03)/;
const NOT_REACHED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;
/** A connection that broke: what was asked over it may have been done. */
const BROKE = /^(?:08|ECONNRESET|EPIPE|ETIMEDOUT)/;
const BROKE_WORDS = /Connection terminated|Client has encountered a connection error/;
const NOT_REACHED_WORDS = /timeout exceeded when trying to connect/;

/** Whether a connection broke in the middle, so that nobody knows whether something was done. */
export function isBroken(error: unknown): boolean {
  return error instanceof Error && (BROKE.test(codeOf(error)) || BROKE_WORDS.test(error.message));
}

/** Whether something that failed in Postgres may work when it is tried again. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return (
    isBroken(error) || NOT_DONE.test(code) || NOT_REACHED.test(code) || NOT_REACHED_WORDS.test(error.message)
  );
}

/** Does what is safe to do again, for as long as the server may be away for a moment. Rejects with the last failure. */
export async function patiently<T>(work: () => Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> {
  const end = Date.now() + patienceMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || Date.now() + waitMs > end) throw error;
      await sleep(waitMs * (0.5 + Math.random() / 2));
    }
  }
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
