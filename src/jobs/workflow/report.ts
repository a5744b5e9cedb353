import { shorten } from "../../lib/words-for.ts";
import { excerpt, standing } from "../agents/job-words.ts";
import type { JobEngine } from "../engine.ts";
import type { Job } from "../job.ts";
import { SYNTHESIS } from "./council.ts";
import { planIn, type SlotView, slotText, workflowView } from "./view.ts";

/** Characters of why an agent isn't done. */
const WHY_CHARS = 300;
/** Characters of all outputs together in a report; each is shown once, and whole by its job's id. */
const REPORT_CHARS = 20_000;

/** What a workflow has come to, finished or not, in so many characters, with how to go on where they are the usual: each agent's output once, the rest where its job's id says. */
export async function workflowOutput(
  engine: JobEngine,
  job: Job,
  chars: number = REPORT_CHARS,
): Promise<string> {
  const { goal, mode } = planIn(job);
  const views = await workflowView(engine, job);
  const shown = mode === "council" ? councilOrder(views) : views;
  const texts = await Promise.all(shown.map((view) => slotText(engine, view)));
  const room = roomFor(
    texts.map(({ length }) => length),
    chars,
  );
  const sections = shown.map((view, at) => section(view, texts[at] ?? "", room));
  const canGoOn = chars === REPORT_CHARS && (job.status === "failed" || job.status === "cancelled");
  return [
    `# ${goal.split("\n", 1)[0]}`,
    `${mode} ${job.id}: ${shorten(standing(job), 2 * WHY_CHARS)}`,
    ...(canGoOn
      ? [`What is done is kept: workflow_run {"resume": ${JSON.stringify(job.id)}} goes on with the rest.`]
      : []),
    ...sections,
  ].join("\n\n");
}

/** The one answer first, then each member's last word. */
function councilOrder(views: readonly SlotView[]): readonly SlotView[] {
  const last = new Map<string, SlotView>();
  for (const view of views) {
    const [member = view.id] = view.id.split("@");
    if (view.status === "done" || view.status === "failed" || !last.has(member)) last.set(member, view);
  }
  const synthesis = last.get(SYNTHESIS);
  last.delete(SYNTHESIS);
  return [...(synthesis === undefined ? [] : [synthesis]), ...last.values()];
}

function section({ id, label, status, jobId, why, by }: SlotView, text: string, room: number): string {
  const name = label === id ? id : `${id} (${label})`;
  const root = by === undefined || by.length === 0 ? "" : ` (by ${by.join(", ")})`;
  const title = `## ${name}: ${status}${root}${why === undefined || status === "done" ? "" : `, ${shorten(why, WHY_CHARS)}`}`;
  if (text === "") return title;
  const more = (end: number): string =>
    `${end} of ${text.length} characters; spawn_output {"id": ${JSON.stringify(jobId ?? "")}} shows all`;
  const unfinished = status === "done" ? "" : "What it said last, which is no result:\n";
  return `${title}\n\n${unfinished}${excerpt(text, room, more)}`;
}

/** How much of each text is shown, so that all together fit: what short ones leave goes to the long ones. */
function roomFor(lengths: readonly number[], chars: number): number {
  let left = chars;
  let open = [...lengths];
  while (open.length > 0) {
    const each = Math.floor(left / open.length);
    const fitting = open.filter((length) => length <= each);
    if (fitting.length === 0) return each;
    left -= fitting.reduce((sum, length) => sum + length, 0);
    open = open.filter((length) => length > each);
  }
  return chars;
}
