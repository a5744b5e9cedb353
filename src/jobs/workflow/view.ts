import type { Json } from "../../lib/json.ts";
import { lastSaid } from "../agents/job-words.ts";
import { textOfResult } from "../agents/task.ts";
import type { JobEngine } from "../engine.ts";
import type { Job, JobSummary } from "../job.ts";
import type { SlotEnd, SlotStatus } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import type { Slot } from "./slot.ts";

/** How a slot of a workflow stands. */
export interface SlotView {
  readonly id: string;
  readonly label: string;
  readonly status: SlotStatus | "queued" | "running" | "waiting" | "not begun";
  /** The job that ran it last. */
  readonly jobId?: string;
  /** Why it isn't done, or what it waits for or does. */
  readonly why?: string;
  readonly by?: readonly string[];
}

/** The plan of a workflow's job. */
export function planIn({ input }: Pick<Job, "input">): Plan {
  // The border: jobs of this kind are started with a plan.
  return (input as unknown as { readonly plan: Plan }).plan;
}

/** How all slots of a workflow stand, in the order of its plan. */
export async function workflowView(engine: JobEngine, job: Job): Promise<readonly SlotView[]> {
  const { slots } = planIn(job);
  const told = new Map((await endsIn(engine, job)).map((end) => [end.slot, end]));
  for await (const { data } of engine.events(job.id)) {
    const end = endIn(data);
    if (end !== undefined) told.set(end.slot, end);
  }
  const jobs = await slotJobs(engine, job.id);
  return slots.map((slot) => viewOf(slot, jobs.get(slot.id), told.get(slot.id)));
}

/** How the slots of a completed workflow ended. Its result says so for good; events are forgotten before it. */
async function endsIn(engine: JobEngine, job: Job): Promise<readonly SlotEnd[]> {
  if (job.status !== "completed") return [];
  const result = job.result ?? (await engine.result(job.id));
  const slots = typeof result === "object" && result !== null && "slots" in result ? result.slots : [];
  return Array.isArray(slots) ? slots.flatMap((slot) => endIn(slot) ?? []) : [];
}

/** The last job of each slot of a workflow that had one. */
export async function slotJobs(engine: JobEngine, id: string): Promise<ReadonlyMap<string, JobSummary>> {
  const last = new Map<string, JobSummary>();
  for (let after: string | undefined; ; ) {
    const page = await engine.list({ parentId: id, ...(after === undefined ? {} : { after }) });
    for (const one of page.items) {
      const [slot = ""] = one.id.slice(id.length + 1).split("~");
      // Newest first; later tries are newer.
      if (!last.has(slot)) last.set(slot, one);
    }
    if (page.next === undefined) return last;
    after = page.next;
  }
}

/** All that a slot has come to; of one that isn't done, what its agent said last. */
export async function slotText(engine: JobEngine, { status, jobId }: SlotView): Promise<string> {
  if (jobId === undefined) return "";
  return status === "done" ? textOfResult(await engine.result(jobId)) : lastSaid(engine, jobId);
}

function viewOf({ id, label }: Slot, job: JobSummary | undefined, told: SlotEnd | undefined): SlotView {
  if (job === undefined) {
    if (told === undefined) return { id, label, status: "not begun" };
    const { status, why, by } = told;
    return { id, label, status, ...(why === undefined ? {} : { why }), ...(by === undefined ? {} : { by }) };
  }
  const why =
    job.error?.message ??
    job.waiting?.reason ??
    (job.status === "running" ? job.progress?.message : undefined);
  const status = job.status === "completed" ? "done" : job.status;
  return { id, label, status, jobId: job.id, ...(why === undefined ? {} : { why }) };
}

function endIn(data: Json | undefined): SlotEnd | undefined {
  if (typeof data !== "object" || data === null || !("slot" in data) || !("status" in data)) return undefined;
  // The border: the workflow's handler told it.
  return data as unknown as SlotEnd;
}
