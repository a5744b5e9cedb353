import type { Retention } from "../core/retention.ts";
import type { EndedTrees } from "../ledger.ts";
import type { Queries } from "./database.ts";
import type { Parts } from "./parts.ts";

/** Jobs above all others that are looked at at once, and completed jobs whose history is removed at once. */
const AT_A_TIME = 100;
/** How often what is kept long enough is looked for: by one process of all. */
const EVERY_SECONDS = 600;

const OVER = "status IN ('completed', 'failed', 'cancelled')";

/** A page of the trees that were over before a time, and that nobody waits for; the first to end first. */
export async function endedTrees(
  { database }: Parts,
  beforeMs: number,
  after: string | undefined,
): Promise<EndedTrees> {
  const before = timeOf(beforeMs);
  const [at = "-infinity", id = ""] = after?.split("\n") ?? [];
  const roots = await database.rows(
    "ended roots",
    `SELECT id, finished_at::text AS at FROM $jobs.jobs AS jobs
     WHERE ${OVER} AND finished_at <= $1 AND (finished_at, id) > ($2::timestamptz, $3)
       AND (parent_id IS NULL OR NOT EXISTS (SELECT FROM $jobs.jobs above WHERE above.id = jobs.parent_id))
     ORDER BY finished_at, id LIMIT ${AT_A_TIME}`,
    [before, at, id],
  );
  const last = roots.at(-1);
  const trees = await wholeTrees(
    database,
    roots.map((row) => String(row.id)),
    before,
  );
  if (roots.length < AT_A_TIME || last === undefined) return { trees };
  return { trees, next: `${last.at}\n${last.id}` };
}

/** The trees below some jobs all of whose jobs were over before a time. */
async function wholeTrees(
  queries: Queries,
  roots: readonly string[],
  before: string,
): Promise<readonly (readonly string[])[]> {
  const rows = await queries.rows(
    "ended trees",
    `WITH RECURSIVE tree AS (
       SELECT id AS root, id FROM $jobs.jobs WHERE id = ANY($1)
       UNION ALL SELECT tree.root, below.id FROM $jobs.jobs below JOIN tree ON below.parent_id = tree.id
     )
     SELECT root, array_agg(id ORDER BY depth, number) AS ids FROM tree JOIN $jobs.jobs AS jobs USING (id) GROUP BY root
     HAVING bool_and(${OVER} AND finished_at <= $2 AND NOT EXISTS (
       SELECT FROM $jobs.jobs w WHERE w.status = 'waiting' AND w.wait_jobs @> ARRAY[jobs.id::text]))`,
    [roots, before],
  );
  const found = new Map(
    rows.map(({ root, ids }) => [String(root), Array.isArray(ids) ? ids.map(String) : []]),
  );
  return roots.flatMap((root) => {
    const tree = found.get(root);
    return tree === undefined ? [] : [tree];
  });
}

/** Removes trees, each whole, but for those of which a job has gone on since. Answers how many jobs that were. */
export async function forget(
  { database }: Parts,
  trees: EndedTrees["trees"],
  beforeMs: number,
): Promise<number> {
  if (trees.length === 0) return 0;
  return database.transaction(async ({ rows }) => {
    // Nobody resumes one of them from here on.
    const locked = await rows(
      "lock ended",
      `SELECT id FROM $jobs.jobs WHERE id = ANY($1) AND ${OVER} AND finished_at <= $2 ORDER BY id FOR UPDATE`,
      [trees.flat(), timeOf(beforeMs)],
    );
    const over = new Set(locked.map(({ id }) => String(id)));
    const ids = trees.filter((tree) => tree.every((id) => over.has(id))).flat();
    for (const table of ["steps", "messages", "events"]) {
      await rows(`forget ${table}`, `DELETE FROM $jobs.${table} WHERE job_id = ANY($1)`, [ids]);
    }
    await rows("forget jobs", "DELETE FROM $jobs.jobs WHERE id = ANY($1)", [ids]);
    return ids.length;
  });
}

/** Removes what was kept long enough: one process of all does, some jobs at a time, until there is no more. */
export class Sweeper {
  readonly #parts: Parts;
  readonly #retention: Retention;
  /** Where the trees go on, while there are any to be looked at. */
  #trees: { readonly after: string | undefined } | undefined;
  #hasHistory = false;
  #asksAtMs = 0;

  constructor(parts: Parts, retention: Retention) {
    this.#parts = parts;
    this.#retention = retention;
  }

  /** A bounded part of what there is to do, if it is this process's turn. */
  async sweep(): Promise<void> {
    if (this.#trees === undefined && !this.#hasHistory) await this.#begin();
    if (this.#trees !== undefined) await this.#forgetTrees(this.#trees.after);
    if (this.#hasHistory) await this.#forgetHistory();
  }

  async #begin(): Promise<void> {
    if (Date.now() < this.#asksAtMs) return;
    const { keepEndedMs, keepHistoryMs } = this.#retention;
    const seconds = Math.min(EVERY_SECONDS, keepEndedMs / 1000, keepHistoryMs / 1000);
    this.#asksAtMs = Date.now() + seconds * 1000 * (0.75 + Math.random() / 2);
    if (!(await isMyTurn(this.#parts.database, "kept", seconds))) return;
    if (Number.isFinite(keepEndedMs)) {
      await this.#forgetSchedules();
      this.#trees = { after: undefined };
    }
    this.#hasHistory = Number.isFinite(keepHistoryMs);
  }

  async #forgetTrees(after: string | undefined): Promise<void> {
    const beforeMs = Date.now() - this.#retention.keepEndedMs;
    const { trees, next } = await endedTrees(this.#parts, beforeMs, after);
    await forget(this.#parts, trees, beforeMs);
    this.#trees = next === undefined ? undefined : { after: next };
  }

  /** What is known of completed jobs besides their results: nobody runs them again. */
  async #forgetHistory(): Promise<void> {
    const [row] = await this.#parts.database.rows(
      "forget history",
      `WITH swept AS (
         SELECT done_until FROM $jobs.sweeps WHERE name = 'kept' FOR UPDATE
       ), due AS (
         SELECT id, finished_at FROM $jobs.jobs AS jobs
         WHERE status = 'completed' AND finished_at > (SELECT done_until FROM swept) AND finished_at <= $1
         ORDER BY finished_at FETCH FIRST ${AT_A_TIME} ROWS WITH TIES
       ), steps AS (
         DELETE FROM $jobs.steps WHERE job_id IN (SELECT id FROM due)
       ), messages AS (
         DELETE FROM $jobs.messages WHERE job_id IN (SELECT id FROM due)
       ), events AS (
         DELETE FROM $jobs.events WHERE job_id IN (SELECT id FROM due)
       )
       UPDATE $jobs.sweeps SET done_until = coalesce((SELECT max(finished_at) FROM due), done_until) WHERE name = 'kept'
       RETURNING (SELECT count(*)::int FROM due) AS jobs`,
      [timeOf(Date.now() - this.#retention.keepHistoryMs)],
    );
    this.#hasHistory = Number(row?.jobs ?? 0) >= AT_A_TIME;
  }

  /** Those that have no time any more. */
  async #forgetSchedules(): Promise<void> {
    await this.#parts.database.rows(
      "forget schedules",
      `DELETE FROM $jobs.schedules
       WHERE next_at IS NULL AND (coalesce(body::json->>'lastAt', body::json->>'createdAt'))::timestamptz <= $1`,
      [timeOf(Date.now() - this.#retention.keepEndedMs)],
    );
  }
}

/** Whether a sweep is due and nobody else has taken it up: it is the caller's then. */
export async function isMyTurn(queries: Queries, name: string, everySeconds: number): Promise<boolean> {
  const rows = await queries.rows(
    "turn",
    `INSERT INTO $jobs.sweeps AS sweeps (name, due_at) VALUES ($1, now() + make_interval(secs => $2))
     ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at
     WHERE sweeps.due_at <= now() OR sweeps.due_at > excluded.due_at RETURNING name`,
    [name, everySeconds],
  );
  return rows.length > 0;
}

/** The earliest time that both sides can tell. */
const EARLIEST_MS = 0;

function timeOf(ms: number): string {
  return new Date(Math.max(ms, EARLIEST_MS)).toISOString();
}
