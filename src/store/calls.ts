import { ToolgateError } from "../errors.ts";
import { isProcessRunning, processMark } from "../lib/process-mark.ts";
import {
  type CallOutcome,
  type CallQuery,
  type CallRecord,
  type CallStart,
  type Page,
  unknownOutcome,
} from "../store.ts";
import { consumption } from "./approvals.ts";
import { column } from "./column.ts";
import type { Database } from "./database.ts";
import { limitOf, pageOf, startOf, Where } from "./pages.ts";
import { callBody, outcomeText, readCall } from "./records.ts";
import type { Step } from "./sql-driver.ts";

/** @throws ToolgateError `not_found`, `stale`, `unknown_outcome`, `store_corrupt` */
export async function start(database: Database, call: CallStart): Promise<CallRecord> {
  const { id, sessionId, callId, approvalId, external } = call;
  const runner = processMark();
  const startedAt = database.now();
  const insert: Step = {
    sql: `INSERT INTO calls (id, session_id, call_id, approval_id, external, started_at, body)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    values: [
      id,
      column(sessionId),
      column(callId),
      approvalId === undefined ? null : column(approvalId),
      external ? 1 : 0,
      startedAt,
      callBody(call, runner),
    ],
    expect: 1,
  };
  const used = approvalId === undefined ? [] : [await consumption(database, approvalId)];
  const failed = await database.driver.apply([...used, insert]);
  if (failed < 0) return { ...call, runner, startedAt };
  if (failed < used.length)
    throw new ToolgateError("stale", `Approval ${approvalId} was used by someone else.`);
  throw await whyNotStarted(database, call);
}

async function whyNotStarted(
  database: Database,
  { sessionId, callId, approvalId }: CallStart,
): Promise<Error> {
  const { items } = await list(database, { sessionId, callId, finished: false, limit: 1 });
  const [other] = items;
  if (other === undefined) {
    return new ToolgateError(
      "stale",
      `Call ${callId} was started by someone else, or approval ${approvalId} was used before.`,
    );
  }
  return unknownOutcome(other);
}

/** The first outcome stays. */
export async function finish(database: Database, id: string, outcome: CallOutcome): Promise<boolean> {
  // Lost, it leaves an outcome that nobody knows: that is said, and nothing runs twice.
  const failed = await database.driver.apply(
    [
      {
        sql: "UPDATE calls SET finished_at = ?, outcome = ? WHERE id = ? AND finished_at IS NULL",
        values: [database.now(), outcomeText(outcome), column(id)],
        expect: 1,
      },
    ],
    true,
  );
  return failed < 0;
}

/** One page, oldest first. */
export async function list(database: Database, query: CallQuery): Promise<Page<CallRecord>> {
  const { id, sessionId, callId, finished } = query;
  const where = new Where();
  if (id !== undefined) where.and("id = ?", column(id));
  if (sessionId !== undefined) where.and("session_id = ?", column(sessionId));
  if (callId !== undefined) where.and("call_id = ?", column(callId));
  if (finished !== undefined) where.and(`finished_at IS ${finished ? "NOT NULL" : "NULL"}`);
  const start = startOf(query);
  if (start !== undefined) where.and("(started_at > ? OR (started_at = ? AND id > ?))", start[0], ...start);
  const limit = limitOf(query);
  const rows = await database.driver.rows(
    `SELECT * FROM calls ${where.sql} ORDER BY started_at, id LIMIT ?`,
    [...where.values, limit + 1],
  );
  return pageOf(rows, limit, "started_at", readCall);
}

/** Those that no living process works on. */
export async function unfinished(database: Database, sessionId?: string): Promise<readonly CallRecord[]> {
  const where = new Where().and("finished_at IS NULL").and("external = 0");
  if (sessionId !== undefined) where.and("session_id = ?", column(sessionId));
  const rows = await database.driver.rows(
    `SELECT * FROM calls ${where.sql} ORDER BY started_at, id`,
    where.values,
  );
  const { items } = pageOf(rows, rows.length, "started_at", readCall);
  return items.filter(({ runner }) => isProcessRunning(runner) !== true);
}
