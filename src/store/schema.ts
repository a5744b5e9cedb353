import { ToolgateError } from "../errors.ts";

/** A type per column kind, for what databases name differently. */
export interface Dialect {
  /** Text that is compared byte by byte. */
  readonly text: string;
}

/** The statements that lead from each version of the tables to the next; the first makes them. Only ever added to. */
export const MIGRATIONS: readonly ((dialect: Dialect) => readonly string[])[] = [
  ({ text }) => [
    `CREATE TABLE sessions (
      id ${text} PRIMARY KEY,
      cwd ${text} NOT NULL,
      mode ${text} NOT NULL,
      revision INTEGER NOT NULL,
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL,
      state ${text} NOT NULL
    )`,
    "CREATE INDEX sessions_by_time ON sessions (updated_at, id)",
    `CREATE TABLE approvals (
      id ${text} PRIMARY KEY,
      session_id ${text} NOT NULL,
      call_id ${text} NOT NULL,
      status ${text} NOT NULL,
      created_at ${text} NOT NULL,
      expires_at ${text} NOT NULL,
      terms ${text} NOT NULL,
      signature ${text} NOT NULL,
      answer ${text},
      answer_signature ${text}
    )`,
    // Sessions are listed with what waits in each.
    "CREATE INDEX approvals_by_session ON approvals (session_id, status, expires_at)",
    "CREATE INDEX approvals_by_call ON approvals (session_id, call_id)",
    "CREATE INDEX approvals_by_time ON approvals (created_at, id)",
    // A call has one open question at most.
    `CREATE UNIQUE INDEX approvals_open ON approvals (session_id, call_id)
      WHERE status IN ('pending', 'approved')`,
    `CREATE TABLE calls (
      id ${text} PRIMARY KEY,
      session_id ${text} NOT NULL,
      call_id ${text} NOT NULL,
      approval_id ${text} UNIQUE,
      external INTEGER NOT NULL,
      started_at ${text} NOT NULL,
      finished_at ${text},
      body ${text} NOT NULL,
      outcome ${text}
    )`,
    "CREATE INDEX calls_by_session ON calls (session_id, call_id)",
    "CREATE INDEX calls_by_time ON calls (started_at, id)",
    // Nor does it run twice at once, or again while nobody knows how it ended.
    "CREATE UNIQUE INDEX calls_unfinished ON calls (session_id, call_id) WHERE finished_at IS NULL",
  ],
];

/**
 * The statements that bring tables of version `from` to the newest.
 * @throws ToolgateError `unsupported` when a newer toolgate made them
 */
export function statementsFrom(
  from: number,
  dialect: Dialect,
  migrations: typeof MIGRATIONS = MIGRATIONS,
): readonly string[] {
  if (from <= migrations.length) return migrations.slice(from).flatMap((step) => step(dialect));
  throw new ToolgateError(
    "unsupported",
    `The store's tables are of version ${from}, made by a newer toolgate; this one knows version ${migrations.length}.`,
    { hint: "Use the newer toolgate, or another store." },
  );
}
