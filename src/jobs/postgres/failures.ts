import { setTimeout as sleep } from "node:timers/promises";
import { isToolgateError, ToolgateError } from "../../errors.ts";

/** How long a database may be away before who needs it is told. */
const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;

/** SQLSTATE classes and codes after which the same may work: lost connections, a server that starts or stops, deadlocks. */
const PASSING = /^(?:08|57P0[1-3]|40001|40P01|53300|55P03)/;
const SOCKET = /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
const BROKEN =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Whether something may work when it is tried again. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return PASSING.test(code) || SOCKET.test(code) || BROKEN.test(error.message);
}

/** Does what is safe to do again, for as long as the database may be away for a moment. */
export async function patiently<T>(work: () => Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> {
  const end = Date.now() + patienceMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || Date.now() + waitMs > end) throw told(error);
      await sleep(waitMs * (0.5 + Math.random() / 2));
    }
  }
}

function told(error: unknown): unknown {
  if (isToolgateError(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new ToolgateError("store_unavailable", `The jobs' database can't be used: ${why}`, { cause: error });
}
