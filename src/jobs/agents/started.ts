import type { AgentState } from "../../state.ts";
import type { JobEngine } from "../engine.ts";
import type { Job, JobSummary } from "../job.ts";
import { hasEnded } from "./job-words.ts";

/** The end of a job that a session has started. */
export interface JobNotice {
  /** The session that it was done for. */
  readonly sessionId: string;
  readonly job: JobSummary;
  /** In words, with what it came to, bounded. */
  readonly text: string;
}

/** How the end of a job is told. */
export type Describe = (job: Job) => Promise<string>;

/** Remembers that a session wants to be told of a job's end. */
export function remember(state: AgentState, id: string): void {
  if (state.jobs?.includes(id) !== true) state.jobs = [...(state.jobs ?? []), id];
}

/** A session was told of a job's end. */
export function forget(state: AgentState, id: string): void {
  const left = (state.jobs ?? []).filter((one) => one !== id);
  if (left.length === 0) delete state.jobs;
  else state.jobs = left;
}

/** Tells of the jobs that have ended and weren't told of, each once. */
export async function ended(
  engine: JobEngine,
  state: AgentState,
  describe: Describe,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const id of state.jobs ?? []) {
    const job = await engine.get(id);
    if (job !== undefined && !hasEnded(job)) continue;
    forget(state, id);
    texts.push(job === undefined ? goneText(id, engine) : await describe(job));
  }
  return texts;
}

function goneText(id: string, { isDurable }: JobEngine): string {
  if (isDurable) return `The job ${id} is kept no more: it has ended, and jobs that have ended are removed.`;
  return `The job ${id} is gone: its process has ended, and its work with it.`;
}
