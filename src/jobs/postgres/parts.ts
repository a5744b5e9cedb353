import type { RunKey, Ticket } from "../ledger.ts";
import type { Database, Queries, Transaction } from "./database.ts";
import type { Line } from "./line.ts";
import { readTicket, TICKET } from "./rows.ts";

/** A ticket that a worker has. */
export interface HeldTicket extends RunKey {
  /** The dispatch's own name for it. */
  readonly name: string;
  readonly worker: string;
}

/** What the parts of the ledger share. */
export interface Parts {
  readonly database: Database;
  readonly line: Line;
  /** Gives tickets to the dispatch, in the transaction that makes them good. */
  readonly dispatch: (transaction: Transaction, ticket: Ticket) => Promise<void>;
  /** Tickets that were handed out and aren't spent, each with the worker that has it. */
  readonly tickets: () => Promise<readonly HeldTicket[]>;
  /** Takes tickets back from workers that are gone: they count for nobody's limit any more. */
  readonly forget: (tickets: readonly HeldTicket[]) => Promise<void>;
}

/** An event's body, for a status. */
export function statusEvent(status: string, message?: string): string {
  return JSON.stringify({
    at: new Date().toISOString(),
    type: "status",
    status,
    ...(message === undefined ? {} : { message }),
  });
}

/** What makes a job queued again, under the next run. */
export const REQUEUE = `status = 'queued', run = jobs.run + 1, worker = NULL, held = false, waits = NULL, waits_since = NULL,
  wait_until = NULL, wait_topics = NULL, wait_jobs = NULL, events = jobs.events + 1`;

/**
 * Puts jobs back into their queues, in one step with their tickets. `where` says which, `set` what else becomes of them; the
 * first parameter is taken. Answers their ids.
 */
export async function requeue(
  { dispatch }: Parts,
  transaction: Transaction,
  which: { readonly name: string; readonly where: string; readonly set?: string },
  values: Parameters<Queries["rows"]>[2],
): Promise<readonly string[]> {
  const more = which.set === undefined ? "" : `, ${which.set}`;
  const rows = await transaction.rows(
    `requeue ${which.name}`,
    `WITH moved AS (
       UPDATE $jobs.jobs AS jobs SET ${REQUEUE}${more} WHERE ${which.where}
       RETURNING ${TICKET}, events
     ), told AS (
       INSERT INTO $jobs.events (job_id, seq, body) SELECT id, events, $1 FROM moved
     )
     SELECT ${TICKET} FROM moved ORDER BY priority, id`,
    [statusEvent("queued"), ...values],
  );
  for (const row of rows) await dispatch(transaction, readTicket(row));
  return rows.map(({ id }) => String(id));
}

/** Wakes jobs that wait, if they still do. */
export async function wake(parts: Parts, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const woken = await parts.database.transaction((transaction) =>
    requeue(parts, transaction, { name: "waiting", where: "status = 'waiting' AND id = ANY($2)" }, [ids]),
  );
  parts.line.tell(woken);
}
