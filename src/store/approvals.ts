import type { Approval, ApprovalStatus, ApprovalTerms, GivenAnswer } from "../approval.ts";
import { ToolgateError } from "../errors.ts";
import type { ApprovalQuery, Page } from "../store.ts";
import type { ApprovalAnswer } from "../tool.ts";
import { column } from "./column.ts";
import type { Database } from "./database.ts";
import { limitOf, pageOf, startOf, Where } from "./pages.ts";
import { readApproval } from "./records.ts";
import type { Step } from "./sql-driver.ts";

const OPEN = "status IN ('pending', 'approved')";

/** Keeps a question, or answers the one that its call already has. */
export async function ask(database: Database, terms: ApprovalTerms, instead?: string): Promise<Approval> {
  const { driver, seal } = database;
  const signature = seal.terms(terms);
  const call = [column(terms.sessionId), column(terms.callId)];
  const steps: Step[] = [
    {
      sql: `UPDATE approvals SET status = 'expired' WHERE session_id = ? AND call_id = ? AND ${OPEN} AND expires_at <= ?`,
      values: [...call, database.now()],
    },
    ...(instead === undefined ? [] : [withdrawal(instead)]),
    {
      sql: `INSERT INTO approvals (session_id, call_id, id, status, created_at, expires_at, terms, signature)
        VALUES (?, ?, ?, 'pending', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      values: [...call, terms.id, terms.createdAt, terms.expiresAt, JSON.stringify(terms), signature],
      expect: 1,
    },
  ];
  if ((await driver.apply(steps)) < 0) return { ...terms, status: "pending", signature };
  const [row] = await driver.rows(
    `SELECT * FROM approvals WHERE session_id = ? AND call_id = ? AND ${OPEN}`,
    call,
  );
  if (row !== undefined) return readApproval(row, seal, database.now());
  throw new ToolgateError("stale", `Call ${terms.callId} was just asked about and settled by someone else.`);
}

/** @throws ToolgateError `store_corrupt`, `unsupported` */
export async function find({ driver, seal, now }: Database, id: string): Promise<Approval | undefined> {
  const [row] = await driver.rows("SELECT * FROM approvals WHERE id = ?", [column(id)]);
  return row === undefined ? undefined : readApproval(row, seal, now());
}

/** One page, oldest first. */
export async function list(database: Database, query: ApprovalQuery): Promise<Page<Approval>> {
  const { sessionId, callId, status } = query;
  const now = database.now();
  const where = new Where();
  if (sessionId !== undefined) where.and("session_id = ?", column(sessionId));
  if (callId !== undefined) where.and("call_id = ?", column(callId));
  if (status !== undefined) andStatus(where, typeof status === "string" ? [status] : status, now);
  const start = startOf(query);
  if (start !== undefined) where.and("(created_at > ? OR (created_at = ? AND id > ?))", start[0], ...start);
  const limit = limitOf(query);
  const rows = await database.driver.rows(
    `SELECT * FROM approvals ${where.sql} ORDER BY created_at, id LIMIT ?`,
    [...where.values, limit + 1],
  );
  return pageOf(rows, limit, "created_at", (row) => readApproval(row, database.seal, now));
}

/** What is open by its row may have expired by the clock. */
function andStatus(where: Where, statuses: readonly ApprovalStatus[], now: string): void {
  const conditions: string[] = ["1 = 0"];
  const values: string[] = [];
  for (const status of statuses) {
    if (status === "expired") {
      conditions.push(`status = 'expired' OR (${OPEN} AND expires_at <= ?)`);
      values.push(now);
    } else if (status === "pending" || status === "approved") {
      conditions.push("(status = ? AND expires_at > ?)");
      values.push(status, now);
    } else {
      conditions.push("status = ?");
      values.push(status);
    }
  }
  where.and(`(${conditions.join(" OR ")})`, ...values);
}

/** @throws ToolgateError `not_found`, `stale`, `store_corrupt` */
export async function answer(database: Database, id: string, given: ApprovalAnswer): Promise<Approval> {
  const { driver, seal } = database;
  const before = await existing(database, id);
  const at = database.now();
  const full: GivenAnswer = { ...given, at };
  const status: ApprovalStatus = given.approved ? "approved" : "rejected";
  if (before.status === "pending") {
    const failed = await driver.apply([
      {
        sql: `UPDATE approvals SET status = ?, answer = ?, answer_signature = ?
          WHERE id = ? AND status = 'pending' AND signature = ? AND expires_at > ?`,
        values: [
          status,
          JSON.stringify(full),
          seal.answer(full, before.signature),
          column(id),
          before.signature,
          at,
        ],
        expect: 1,
      },
    ]);
    if (failed < 0) return { ...before, status, answer: full };
  }
  throw notPending(await existing(database, id));
}

/** @throws ToolgateError `not_found`, `store_corrupt` */
async function existing(database: Database, id: string): Promise<Approval> {
  const approval = await find(database, id);
  if (approval !== undefined) return approval;
  throw new ToolgateError("not_found", `There is no approval ${id}.`);
}

/** The error for an approval that is no longer what it has to be. */
export function notPending({ id, status, answer, expiresAt }: Approval): ToolgateError {
  const by = answer === undefined ? "" : ` by ${answer.by} at ${answer.at}`;
  const why = status === "expired" ? `it expired at ${expiresAt}` : `it is ${status}${by}`;
  return new ToolgateError("stale", `Approval ${id} can't be answered or used any more: ${why}.`);
}

/** Also for one that can't be read: that is never answered. */
export async function withdraw({ driver }: Database, id: string): Promise<boolean> {
  return (await driver.apply([{ ...withdrawal(id), expect: 1 }])) < 0;
}

function withdrawal(id: string): Step {
  return { sql: `UPDATE approvals SET status = 'withdrawn' WHERE id = ? AND ${OPEN}`, values: [column(id)] };
}

/** The step that uses up an approval, for the transaction in which its call starts. @throws ToolgateError `not_found`, `stale`, `store_corrupt` */
export async function consumption(database: Database, id: string): Promise<Step> {
  const approval = await existing(database, id);
  if (approval.status !== "approved") throw notPending(approval);
  return {
    sql: `UPDATE approvals SET status = 'consumed'
      WHERE id = ? AND status = 'approved' AND signature = ? AND expires_at > ?`,
    values: [column(id), approval.signature, database.now()],
    expect: 1,
  };
}
