import type { Schedule } from "../engine.ts";

/** A schedule in one line. */
export function scheduleLine({ name, when, nextAt, lastAt, lastJobId }: Schedule): string {
  const times = "at" in when ? `once, at ${when.at}` : `${when.cron} (${when.timeZone ?? "UTC"})`;
  const next = nextAt === undefined ? "not again" : `next ${nextAt}`;
  const last = lastAt === undefined ? "" : `; last ${lastAt}, job ${lastJobId}`;
  return `${name}: ${times}; ${next}${last}`;
}
