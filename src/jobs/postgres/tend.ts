import { overdue } from "../core/job-error.ts";
import type { Retention } from "../core/retention.ts";
import type { RunKey } from "../ledger.ts";
import { cancelBelow } from "./cancel.ts";
import type { Value } from "./database.ts";
import { FREED, free, release } from "./freed.ts";
import { aliveKey } from "./line.ts";
import { type Parts, requeue, statusEvent, wake } from "./parts.ts";
import { Sweeper } from "./retention.ts";

/** A worker whose lock isn't held is gone after this: one whose database was started again takes its lock soon. */
const GONE_MS = 2000;
/** A job that its worker doesn't run, though the ledger says so, may be about to begin. */
const STRAY_SECONDS = 30;
const AT_A_TIME = 200;

/** Sees to what nobody else does. */
export class Tender {
  readonly #parts: Parts;
  /** Workers whose lock isn't held, each since when. */
  readonly #missing = new Map<string, number>();
  readonly #sweeper: Sweeper;

  constructor(parts: Parts, retention: Retention) {
    this.#parts = parts;
    this.#sweeper = new Sweeper(parts, retention);
  }

  async tend(worker: string, runs: readonly RunKey[]): Promise<void> {
    await this.#lostWorkers();
    await this.#strays(worker, runs);
    await this.#overdue();
    await this.#woken();
    await this.#held();
    await this.#sweeper.sweep();
  }

  /** Jobs that a worker ran which is gone, and those that it had been handed and not begun. */
  async #lostWorkers(): Promise<void> {
    const { tickets, forget } = this.#parts;
    const held = await tickets();
    const running = await this.#workers();
    const gone = await this.#gone(new Set([...running, ...held.map(({ worker }) => worker)]));
    for (const worker of gone) {
      if (running.includes(worker)) {
        await this.#requeue("lost", "status = 'running' AND worker = $2", [worker]);
      }
      const lost = held.filter((ticket) => ticket.worker === worker);
      if (lost.length === 0) continue;
      const where =
        "status = 'queued' AND NOT held AND (id, run) IN (SELECT * FROM unnest($2::text[], $3::int[]))";
      await this.#requeue("not begun", where, [lost.map(({ id }) => id), lost.map(({ run }) => run)]);
      await forget(lost);
    }
  }

  /** Workers that run jobs, as far as is written down. */
  async #workers(): Promise<readonly string[]> {
    const sql = "SELECT DISTINCT worker FROM $jobs.jobs WHERE status = 'running' AND worker IS NOT NULL";
    return (await this.#parts.database.rows("workers", sql, [])).map(({ worker }) => String(worker));
  }

  /** Those of some workers whose lock nobody has held for a while. */
  async #gone(workers: ReadonlySet<string>): Promise<readonly string[]> {
    const locks = await this.#parts.database.rows(
      "locks",
      `SELECT classid::bigint::text AS high, objid::bigint::text AS low FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND objsubid = 1
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [],
    );
    const alive = new Set(locks.map(({ high, low }) => `${high} ${low}`));
    const now = Date.now();
    const missing = [...workers].filter((worker) => !alive.has(halves(aliveKey(worker))));
    for (const worker of this.#missing.keys()) if (!missing.includes(worker)) this.#missing.delete(worker);
    for (const worker of missing) if (!this.#missing.has(worker)) this.#missing.set(worker, now);
    return missing.filter((worker) => now - (this.#missing.get(worker) ?? now) >= GONE_MS);
  }

  /** Jobs of this worker that it doesn't run: their ends couldn't be written down. */
  async #strays(worker: string, runs: readonly RunKey[]): Promise<void> {
    const where = `status = 'running' AND worker = $2 AND id <> ALL($3)
      AND begun_at < now() - interval '${STRAY_SECONDS} seconds'`;
    await this.#requeue("strays", where, [worker, runs.map(({ id }) => id)]);
  }

  async #overdue(): Promise<void> {
    const { database, line } = this.#parts;
    const rows = await database.rows(
      "overdue",
      `SELECT id, deadline_at FROM $jobs.jobs
       WHERE deadline_at <= now() AND status IN ('queued', 'waiting') ORDER BY id LIMIT ${AT_A_TIME}`,
      [],
    );
    for (const { id, deadline_at: at } of rows) {
      const end = overdue(at instanceof Date ? at.toISOString() : undefined);
      const [row] = await database.rows(
        "fail overdue",
        `WITH settled AS (
           UPDATE $jobs.jobs SET status = 'failed', error = $2, finished_at = clock_timestamp(), held = false, waits = NULL,
             waits_since = NULL, wait_until = NULL, wait_topics = NULL, wait_jobs = NULL, events = events + 1
           WHERE id = $1 AND status IN ('queued', 'waiting') RETURNING id, events, session_id, queue
         ), told AS (
           INSERT INTO $jobs.events (job_id, seq, body) SELECT id, events, $3 FROM settled
         )
         SELECT ${FREED} FROM settled`,
        [String(id), JSON.stringify(end.error), statusEvent("failed", end.error.message)],
      );
      if (row === undefined) continue;
      line.tell([String(id)]);
      await cancelBelow(this.#parts, String(id));
      await free(this.#parts, row);
    }
  }

  /** Waits whose time is over, and ends that a waiting job wasn't told of. */
  async #woken(): Promise<void> {
    const rows = await this.#parts.database.rows(
      "due",
      `SELECT id FROM $jobs.jobs w WHERE status = 'waiting' AND (wait_until <= now() OR wait_jobs <> '{}' AND EXISTS (
         SELECT FROM $jobs.jobs d WHERE d.id = ANY(w.wait_jobs) AND d.status IN ('completed', 'failed', 'cancelled')))
       ORDER BY id LIMIT ${AT_A_TIME}`,
      [],
    );
    await wake(
      this.#parts,
      rows.map(({ id }) => String(id)),
    );
  }

  /** One job of each session that was too full: if it still is, it is held again. */
  async #held(): Promise<void> {
    const rows = await this.#parts.database.rows(
      "held",
      `SELECT DISTINCT ON (session_id, queue) id FROM $jobs.jobs WHERE held
       ORDER BY session_id, queue, priority, number LIMIT ${AT_A_TIME}`,
      [],
    );
    await release(
      this.#parts,
      rows.map(({ id }) => String(id)),
    );
  }

  async #requeue(name: string, where: string, values: readonly Value[]): Promise<void> {
    const ids = await this.#parts.database.transaction((transaction) =>
      requeue(this.#parts, transaction, { name, where }, values),
    );
    this.#parts.line.tell(ids, true);
  }
}

/** A lock's number as `pg_locks` shows it. */
function halves(key: string): string {
  const whole = BigInt.asUintN(64, BigInt(key));
  return `${whole >> 32n} ${whole & 0xffffffffn}`;
}
