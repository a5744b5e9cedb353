import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { Schedule, ScheduleRequest, ScheduleTime } from "../engine.ts";
import type { JobRequest } from "../handler.ts";
import type { Ledger } from "../ledger.ts";
import { millisecondsOf } from "./job-id.ts";

/** A time that is this late was missed: no worker ran when it was due. */
const MISSED_MS = 60_000;

/**
 * A request as it is kept.
 * @throws ToolgateError `invalid_input`
 */
export async function newSchedule(request: ScheduleRequest): Promise<Schedule> {
  const now = new Date();
  if (request.name === "" || request.name.length > 200 || /\p{Cc}/u.test(request.name)) {
    throw new ToolgateError("invalid_input", "A schedule's name has 1 to 200 visible characters.");
  }
  const { when } = request;
  const nextAt = "at" in when ? new Date(millisecondsOf(when.at)) : await nextTime(when, now);
  return {
    ...request,
    createdAt: now.toISOString(),
    ...(nextAt === undefined ? {} : { nextAt: nextAt.toISOString() }),
  };
}

/** Starts what is due. Of several processes that do so at a time, one starts each. */
export async function startDue(
  ledger: Ledger,
  enqueue: (request: JobRequest) => Promise<string>,
): Promise<void> {
  const now = new Date();
  for (const schedule of await ledger.schedules()) {
    const dueAt = schedule.nextAt;
    if (dueAt === undefined || Date.parse(dueAt) > now.getTime()) continue;
    const next = "at" in schedule.when ? undefined : await nextTime(schedule.when, now);
    const isMissed = now.getTime() - Date.parse(dueAt) > MISSED_MS;
    const starts = !isMissed || schedule.missed === "once";
    const id = `${schedule.name}@${dueAt}`;
    // The id makes it one job, whoever else starts it and wherever this process ends.
    if (starts) await enqueue({ ...schedule.job, id }).catch(unlessItIsWrong);
    const moved = {
      ...(next === undefined ? {} : { nextAt: next.toISOString() }),
      ...(starts ? { lastAt: dueAt, lastJobId: id } : {}),
    };
    await ledger.moveSchedule({ schedule, dueAt }, moved);
  }
}

/** A job that can't be started at all doesn't hold up its schedule, nor the others. */
function unlessItIsWrong(error: unknown): void {
  if (!isToolgateError(error, "invalid_input")) throw error;
}

async function nextTime(
  { cron, timeZone = "UTC" }: Extract<ScheduleTime, { cron: string }>,
  after: Date,
): Promise<Date | undefined> {
  const { Cron } = await import("croner");
  try {
    return new Cron(cron, { timezone: timeZone, paused: true }).nextRun(after) ?? undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolgateError("invalid_input", `The schedule ${cron} (${timeZone}) can't be read: ${why}`, {
      hint: 'Use five fields, as in "30 9 * * 1-5", and a time zone like Europe/Berlin.',
    });
  }
}
