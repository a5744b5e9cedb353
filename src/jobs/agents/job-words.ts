import type { Json } from "../../lib/json.ts";
import type { JobEngine } from "../engine.ts";
import { FINAL_STATUSES, type Job, type JobSummary } from "../job.ts";

/** Whether a job has ended. */
export function hasEnded({ status }: Pick<JobSummary, "status">): boolean {
  return FINAL_STATUSES.includes(status);
}

/** How a job stands, in words: never better than it is. */
export function standing(job: JobSummary): string {
  const { status, error, waiting, progress } = job;
  switch (status) {
    case "completed":
      return `completed${took(job)}`;
    case "failed":
      return `${FAILURES[error?.code ?? ""] ?? "failed"}${took(job)}: ${error?.message ?? "nobody knows why"}`;
    case "cancelled":
      return `cancelled${took(job)}, before it had finished`;
    case "waiting":
      return `waiting: ${waiting?.reason ?? "for something"}`;
    case "running":
      return `running${progress === undefined ? "" : `: ${progress.message}`}`;
    default:
      return "queued";
  }
}

const FAILURES: Readonly<Record<string, string>> = {
  budget_exceeded: "stopped, its budget used up",
  timeout: "stopped, its time over",
};

/** A job in one line. */
export function jobLine(job: JobSummary): string {
  return `${job.id} ${job.label === undefined ? "" : `"${job.label}" `}${standing(job)}`;
}

function took({ startedAt, finishedAt }: JobSummary): string {
  if (startedAt === undefined || finishedAt === undefined) return "";
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  return ` after ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

/** A part of a text, with where the rest is. */
export function excerpt(text: string, chars: number, more: (shown: number) => string): string {
  if (text.length <= chars) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, chars)) ? chars - 1 : chars;
  return `${text.slice(0, end)}\n[${more(end)}]`;
}

/** What a job that has no result said last; empty when it said nothing. */
export async function lastSaid(engine: JobEngine, id: string): Promise<string> {
  let said = "";
  for await (const { data } of engine.events(id)) said = saidIn(data) ?? said;
  return said;
}

function saidIn(data: Json | undefined): string | undefined {
  const isSaid = typeof data === "object" && data !== null && "said" in data;
  return isSaid && typeof data.said === "string" ? data.said : undefined;
}

/** Whether a job is below another, at whatever depth. */
export async function isBelow(
  engine: JobEngine,
  job: Pick<Job, "parentId">,
  above: string,
): Promise<boolean> {
  let at: string | undefined = job.parentId;
  while (at !== undefined && at !== above) at = (await engine.get(at))?.parentId;
  return at !== undefined;
}
