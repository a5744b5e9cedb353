import { ToolgateError } from "../../errors.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import type { JobEngine } from "../engine.ts";
import type { Job, JobSummary } from "../job.ts";
import { hasEnded, isBelow, jobLine } from "./job-words.ts";

/** Who starts jobs and looks at them: a session, or a sub-agent. */
export interface Parent {
  readonly toolkit: Toolkit;
  /** The session that all this is done for. */
  readonly rootId: string;
  /** The job that the sub-agent is. */
  readonly jobId?: string;
  /** A job below which it may look at all others as well: the workflow that it is an agent of. */
  readonly readsBelow?: string;
  /** 0 for a session that is nobody's sub-agent. */
  readonly depth: number;
}

const MAX_NAMED = 20;

/** The jobs that a parent has started itself, newest first. */
export async function ownJobs(engine: JobEngine, { rootId, jobId }: Parent): Promise<readonly JobSummary[]> {
  if (jobId !== undefined) return (await engine.list({ parentId: jobId })).items;
  const { items } = await engine.list({ sessionId: rootId });
  return items.filter(({ parentId }) => parentId === undefined);
}

/** Those of them that haven't ended. */
export async function openJobs(engine: JobEngine, parent: Parent): Promise<readonly JobSummary[]> {
  return (await ownJobs(engine, parent)).filter((job) => !hasEnded(job));
}

/**
 * A job of the parent's own, at whatever depth: nobody sees or stops another's.
 * @throws ToolgateError `not_found` with the ids that there are
 */
export async function jobOf(engine: JobEngine, parent: Parent, id: string): Promise<Job> {
  const job = await engine.get(id);
  if (job !== undefined && (await isOwn(engine, parent, job))) return job;
  const known = (await ownJobs(engine, parent)).slice(0, MAX_NAMED).map(jobLine);
  throw new ToolgateError("not_found", `No job of yours has the id ${JSON.stringify(id.slice(0, 200))}.`, {
    hint: known.length === 0 ? "There is none." : `There are:\n${known.join("\n")}`,
  });
}

async function isOwn(engine: JobEngine, { rootId, jobId }: Parent, job: Job): Promise<boolean> {
  if (jobId === undefined) return job.sessionId === rootId;
  return isBelow(engine, job, jobId);
}

/** The same for looking only. @throws ToolgateError `not_found` */
export async function visibleJob(engine: JobEngine, parent: Parent, id: string): Promise<Job> {
  const { readsBelow } = parent;
  const job = readsBelow === undefined ? undefined : await engine.get(id);
  if (job !== undefined && readsBelow !== undefined && (await isBelow(engine, job, readsBelow))) return job;
  return jobOf(engine, parent, id);
}
