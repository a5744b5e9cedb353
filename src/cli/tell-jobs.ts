import { join } from "node:path";
import { tellAnswered } from "../jobs/awaited-answers.ts";
import { ownSettings } from "./own-settings.ts";

/** Where a question was answered. */
export interface AnsweredAt {
  /** The root of the project. */
  readonly project: string;
  /** The store that was named, if one was. */
  readonly store?: string | undefined;
}

/**
 * Lets the job go on that waits for an answer of a session, in whichever process, if there is one. Starts no database. It is no more than
 * haste: a job that isn't told finds out by itself within seconds.
 */
export async function tellJobs(sessionId: string, at: AnsweredAt): Promise<void> {
  try {
    const databaseUrl = await jobsUrl(at);
    if (databaseUrl === undefined) return;
    const { hasWaitingJobs } = await import("../jobs/postgres/look.ts");
    if (!(await hasWaitingJobs(databaseUrl))) return;
    const { dbosEngine } = await import("../jobs/dbos.ts");
    await using engine = dbosEngine({ databaseUrl, maxConnections: 1 });
    await tellAnswered(engine, sessionId);
  } catch {
    // The answer counts without it.
  }
}

/** The database that has the jobs, if it runs: the same that `enginePlace` would take. */
async function jobsUrl({ project, store }: AnsweredAt): Promise<string | undefined> {
  const named =
    (isPostgres(store) ? store : undefined) ??
    (process.env.TOOLGATE_DATABASE_URL || undefined) ??
    (await ownSettings(project)).databaseUrl;
  if (named !== undefined) return isPostgres(named) ? named : undefined;
  const { runningUrl } = await import("../jobs/embedded-postgres.ts");
  return runningUrl(join(project, ".toolgate", "postgres"));
}

function isPostgres(text: string | undefined): boolean {
  return text !== undefined && /^postgres(?:ql)?:/.test(text);
}
