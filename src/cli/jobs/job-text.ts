import type { Job, JobEvent, JobStatus, JobSummary } from "../../jobs/job.ts";
import type { Paint } from "../output.ts";
import { visible } from "../visible.ts";

const MARKS: Readonly<Record<JobStatus, readonly [string, Parameters<Paint>[0]]>> = {
  queued: ["○", "dim"],
  running: ["●", "cyan"],
  waiting: ["◐", "yellow"],
  completed: ["✓", "green"],
  failed: ["✗", "red"],
  cancelled: ["–", "dim"],
};
const MAX_WORDS = 100;

/** A job in one line, without its id. */
export function jobLine(job: JobSummary, paint: Paint): string {
  const [mark, colour] = MARKS[job.status];
  const name = job.label ?? job.kind;
  const words = [paint(colour, `${mark} ${job.status}`), oneLine(name), progressOf(job), whyOf(job)];
  return words.filter((word) => word !== "").join("  ");
}

/** A job with those below it, as a tree, oldest first. */
export function jobTree(jobs: readonly JobSummary[], rootId: string, paint: Paint): string {
  const lines: string[] = [];
  const below = (id: string): readonly JobSummary[] =>
    jobs.filter(({ parentId }) => parentId === id).toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  const add = (job: JobSummary, first: string, rest: string): void => {
    lines.push(`${first}${jobLine(job, paint)}  ${paint("dim", visible(job.id))}`);
    const children = below(job.id);
    for (const [at, child] of children.entries()) {
      const isLast = at === children.length - 1;
      add(child, `${rest}${isLast ? "└─ " : "├─ "}`, `${rest}${isLast ? "   " : "│  "}`);
    }
  };
  const root = jobs.find(({ id }) => id === rootId);
  if (root !== undefined) add(root, "", "");
  return lines.join("\n");
}

/** What happened, in one line. */
export function eventLine({ at, type, status, step, phase, progress, message = "" }: JobEvent): string {
  const what =
    type === "status" ? `${status}` : type === "step" ? `${step} ${phase ?? ""}` : `${progress?.message}`;
  return [at, oneLine(what), oneLine(message)].filter((word) => word !== "").join("  ");
}

/** What is known of a job besides its line. */
export function jobDetails(job: Job): string {
  const { waiting } = job;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["kind", job.kind],
    ["queue", `${job.queue}, priority ${job.priority}`],
    ["session", job.sessionId],
    ["parent", job.parentId],
    ["created", job.createdAt],
    ["started", job.startedAt],
    ["finished", job.finishedAt],
    ["deadline", job.deadlineAt],
    ["attempts", job.attempts > 1 ? String(job.attempts) : undefined],
    ["waits for", waiting?.reason],
    ["until", waiting?.until],
    ["error", job.error === undefined ? undefined : `${job.error.code}: ${job.error.message}`],
    ["input", JSON.stringify(job.input)],
    ["result", resultText(job)],
  ];
  return rows
    .flatMap(([name, text]) => (text === undefined ? [] : `  ${name.padEnd(10)} ${oneLine(text, 2000)}`))
    .join("\n");
}

/** What a person can do about a job that waits for them; empty otherwise. */
export function wayOn({ id, waiting, status }: Job): string {
  if (status === "failed" || status === "cancelled") return `toolgate jobs resume ${id}`;
  if (waiting?.for === "unknown_outcome") {
    return [
      "Look at what the step was to change, then say what became of it:",
      `  toolgate jobs resume ${id} --again            it didn't do its work, or may do it twice`,
      `  toolgate jobs resume ${id} --done [JSON]      it did, and gave this`,
      `  toolgate jobs resume ${id} --failed [WHY]     it failed`,
    ].join("\n");
  }
  return "";
}

function resultText({ result, resultBytes }: Job): string | undefined {
  if (result !== undefined) return JSON.stringify(result);
  return resultBytes === undefined
    ? undefined
    : `${resultBytes} bytes: toolgate jobs show --json has it whole`;
}

function progressOf({ status, progress }: JobSummary): string {
  if (progress === undefined || status !== "running") return "";
  const { message, done, total } = progress;
  const count = done === undefined ? "" : `[${done}${total === undefined ? "" : `/${total}`}] `;
  return `${count}${oneLine(message)}`;
}

function whyOf({ waiting, error }: JobSummary): string {
  if (waiting !== undefined) return oneLine(waiting.reason);
  return error === undefined ? "" : oneLine(error.message);
}

function oneLine(text: string, most: number = MAX_WORDS): string {
  const line = visible(text.replaceAll(/\s+/g, " ").trim());
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
