import type { Schedule } from "../engine.ts";
import type { DueSchedule } from "../ledger.ts";
import type { Parts } from "./parts.ts";
import { parsed } from "./rows.ts";

/** Keeps a schedule, in place of one of the same name. */
export async function put({ database }: Parts, schedule: Schedule): Promise<void> {
  await database.rows(
    "put schedule",
    `INSERT INTO $jobs.schedules (name, next_at, body) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at, body = excluded.body`,
    [schedule.name, schedule.nextAt ?? null, JSON.stringify(schedule)],
  );
}

/** All of them, by name. */
export async function all({ database }: Parts): Promise<readonly Schedule[]> {
  const rows = await database.rows("schedules", "SELECT body FROM $jobs.schedules ORDER BY name", []);
  return rows.flatMap(({ body }) => parsed<Schedule>(body) ?? []);
}

/** Forgets one, and tells whether it was there. */
export async function remove({ database }: Parts, name: string): Promise<boolean> {
  const sql = "DELETE FROM $jobs.schedules WHERE name = $1 RETURNING name";
  return (await database.rows("remove schedule", sql, [name])).length > 0;
}

/** Moves one on from the time it was due, once. */
export async function move(
  { database }: Parts,
  { schedule, dueAt }: DueSchedule,
  next: Pick<Schedule, "nextAt" | "lastAt" | "lastJobId">,
): Promise<boolean> {
  const { nextAt: _due, ...rest } = schedule;
  const rows = await database.rows(
    "move schedule",
    "UPDATE $jobs.schedules SET next_at = $3, body = $4 WHERE name = $1 AND next_at = $2 RETURNING name",
    [schedule.name, dueAt, next.nextAt ?? null, JSON.stringify({ ...rest, ...next })],
  );
  return rows.length > 0;
}
