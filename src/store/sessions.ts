import { ToolgateError } from "../errors.ts";
import { type AgentState, STATE_VERSION } from "../state.ts";
import type { Page, SavedSession, SessionQuery, SessionSummary } from "../store.ts";
import { column } from "./column.ts";
import type { Database } from "./database.ts";
import { limitOf, pageOf, startOf, Where } from "./pages.ts";
import { readState, readSummary, textIn } from "./records.ts";

/** @throws ToolgateError `store_corrupt`, `unsupported` */
export async function load({ driver }: Database, sessionId: string): Promise<SavedSession | undefined> {
  const [row] = await driver.rows("SELECT * FROM sessions WHERE id = ?", [column(sessionId)]);
  if (row === undefined) return undefined;
  return {
    state: readState(textIn(row, "state"), sessionId),
    revision: Number(row.revision),
    createdAt: textIn(row, "created_at"),
    updatedAt: textIn(row, "updated_at"),
  };
}

/** @throws ToolgateError `stale`, `unsupported` */
export async function save(database: Database, state: AgentState, expected: number): Promise<number> {
  const { driver } = database;
  const { sessionId, cwd, permissions, version } = state;
  if (version !== STATE_VERSION) {
    throw new ToolgateError(
      "unsupported",
      `Session ${sessionId} is of version ${version}, and version ${STATE_VERSION} is what is saved here.`,
    );
  }
  const [id, text, now, next] = [column(sessionId), JSON.stringify(state), database.now(), expected + 1];
  const about = [column(cwd), permissions.mode];
  const step =
    expected === 0
      ? {
          sql: `INSERT INTO sessions (cwd, mode, revision, created_at, updated_at, state, id)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          values: [...about, next, now, now, text, id],
        }
      : {
          sql: `UPDATE sessions SET cwd = ?, mode = ?, revision = ?, updated_at = ?, state = ?
            WHERE id = ? AND revision = ?`,
          values: [...about, next, now, text, id, expected],
        };
  // Lost, it leaves the session as it was a moment before; what was started since is known by itself.
  if ((await driver.apply([{ ...step, expect: 1 }], true)) < 0) return next;
  throw new ToolgateError(
    "stale",
    `Session ${sessionId} was saved by someone else since revision ${expected}.`,
    {
      hint: "Load it again and go on from there.",
    },
  );
}

/** Forgets a session and all that belongs to it. */
export async function remove({ driver }: Database, sessionId: string): Promise<boolean> {
  const values = [column(sessionId)];
  const failed = await driver.apply([
    { sql: "DELETE FROM approvals WHERE session_id = ?", values },
    { sql: "DELETE FROM calls WHERE session_id = ?", values },
    { sql: "DELETE FROM sessions WHERE id = ?", values, expect: 1 },
  ]);
  return failed < 0;
}

const PENDING = `SELECT COUNT(*) FROM approvals
  WHERE approvals.session_id = sessions.id AND approvals.status = 'pending' AND approvals.expires_at > ?`;

/** One page, latest saved first. States are not read. */
export async function list(database: Database, query: SessionQuery): Promise<Page<SessionSummary>> {
  const { parked, cwd, since } = query;
  const now = database.now();
  const where = new Where();
  if (parked !== undefined) where.and(`(${PENDING}) ${parked ? ">" : "="} 0`, now);
  if (cwd !== undefined) where.and("cwd = ?", column(cwd));
  if (since !== undefined) where.and("updated_at >= ?", since);
  const start = startOf(query);
  if (start !== undefined) where.and("(updated_at < ? OR (updated_at = ? AND id < ?))", start[0], ...start);
  const limit = limitOf(query);
  const rows = await database.driver.rows(
    `SELECT id, cwd, mode, revision, created_at, updated_at, CAST((${PENDING}) AS INTEGER) AS pending
      FROM sessions ${where.sql} ORDER BY updated_at DESC, id DESC LIMIT ?`,
    [now, ...where.values, limit + 1],
  );
  return pageOf(rows, limit, "updated_at", readSummary);
}
