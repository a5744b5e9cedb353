import { ToolgateError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import { SUBAGENT, type SubagentTask, taskInput, textOfResult } from "../agents/task.ts";
import type { JobEngine } from "../engine.ts";
import type { JobContext, JobHandler } from "../handler.ts";
import { FINAL_STATUSES, type Job } from "../job.ts";
import type { SlotEnd, SlotOutput } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { readiness } from "./readiness.ts";
import { type Slot, waitsFor } from "./slot.ts";
import { slotPrompt, slotRole } from "./slot-prompt.ts";

/** A workflow's work: the input of its job. */
export interface WorkflowTask {
  readonly plan: Plan;
  /** What its agents have in common. */
  readonly agents: Pick<SubagentTask, "mode" | "bounds" | "budget" | "depth" | "rootId" | "tools">;
  readonly queue: string;
  /** For agents that have no time of their own. Milliseconds. */
  readonly timeMs: number;
}

/** Not worth another try: it would end the same way. */
const HOPELESS: ReadonlySet<string> = new Set([
  "budget_exceeded",
  "unknown_tool",
  "not_found",
  "invalid_input",
]);

/** Runs a workflow: each slot is a job below it, and begins when those that it waits for have ended. */
export function workflowHandler(engine: JobEngine): JobHandler {
  return async (input, context) => {
    const run = new Run(engine, taskOf(input), context);
    const ends = await run.all();
    return { slots: ends.map(({ text: _text, ...end }) => ({ ...asJson(end) })) };
  };
}

/** A job that runs a slot. */
interface Running {
  readonly slot: Slot;
  readonly attempt: number;
}

/**
 * One run of a workflow's handler. It waits for one thing at a time: the first of all jobs that run to end, and what that makes ready
 * begins at once.
 */
class Run {
  readonly #engine: JobEngine;
  readonly #task: WorkflowTask;
  readonly #context: JobContext;
  readonly #ended = new Map<string, SlotOutput>();
  readonly #running = new Map<string, Running>();
  /** Jobs that had ended, and go on since the workflow was resumed: they are waited for anew. */
  readonly #again: string[] = [];

  constructor(engine: JobEngine, task: WorkflowTask, context: JobContext) {
    this.#engine = engine;
    this.#task = task;
    this.#context = context;
  }

  /** Runs all slots. @throws ToolgateError `agent_failed` when a vital one isn't done, with all else finished */
  async all(): Promise<readonly SlotOutput[]> {
    const { slots } = this.#task.plan;
    for (;;) {
      await this.#begin();
      if (this.#running.size === 0) break;
      // Asked for once more in the same words, the engine would give what it gave before.
      const again = this.#again.filter((id) => this.#running.has(id));
      await this.#take(await this.#context.first([...this.#running.keys(), ...again]));
    }
    const ends = slots.flatMap(({ id }) => this.#ended.get(id) ?? []);
    const vital = new Set(slots.flatMap(({ id, isVital }) => (isVital ? [id] : [])));
    const lost = ends.filter(
      ({ slot, status }) => vital.has(slot) && status !== "done" && status !== "skipped",
    );
    if (lost.length > 0) throw unfinished(lost, ends);
    return ends;
  }

  /** Begins all that is ready, and settles what isn't to run, which may make others ready. */
  async #begin(): Promise<void> {
    const { slots } = this.#task.plan;
    for (let hasSettled = true; hasSettled; ) {
      hasSettled = false;
      for (const slot of slots) {
        if (!this.#isDue(slot)) continue;
        const end = readiness(slot, this.#ended);
        if (end === undefined) await this.#start(slot, 0);
        else {
          await this.#settle(end);
          hasSettled = true;
        }
      }
    }
  }

  #isDue(slot: Slot): boolean {
    if (this.#ended.has(slot.id)) return false;
    if ([...this.#running.values()].some((one) => one.slot === slot)) return false;
    return waitsFor(slot).every((id) => this.#ended.has(id));
  }

  /** A job has ended, or it had before the workflow was resumed. */
  async #take(job: Job): Promise<void> {
    const running = this.#running.get(job.id);
    if (running === undefined) return;
    if (!FINAL_STATUSES.includes(job.status)) {
      this.#again.push(job.id);
      return;
    }
    const { slot, attempt } = running;
    this.#running.delete(job.id);
    const { retries = 0 } = slot.agent;
    const mayHelp = job.status === "failed" && !HOPELESS.has(job.error?.code ?? "");
    if (mayHelp && attempt < retries) await this.#start(slot, attempt + 1);
    else this.#ended.set(slot.id, await this.#end(slot, job));
  }

  async #start(slot: Slot, attempt: number): Promise<void> {
    const name = attempt === 0 ? slot.id : `${slot.id}~${attempt + 1}`;
    const { plan, agents, queue, timeMs } = this.#task;
    const { tools, model, timeout } = slot.agent;
    const role = slotRole(slot);
    const task: SubagentTask = {
      ...agents,
      prompt: slotPrompt(plan.goal, slot, this.#ended),
      label: slot.label,
      tools: tools ?? agents.tools,
      ...(tools === undefined ? {} : { needsTools: true }),
      ...(role === undefined ? {} : { role }),
      ...(model === undefined ? {} : { model }),
      readsBelow: this.#context.job.id,
    };
    const jobId = await this.#context.start(name, {
      kind: SUBAGENT,
      input: taskInput(task),
      label: slot.label,
      queue,
      deadlineMs: timeout === undefined ? timeMs : Math.ceil(timeout * 1000),
    });
    this.#running.set(jobId, { slot, attempt });
  }

  /**
   * Writes down how a slot's last job ended. What isn't done makes its step fail: a failed step is run again when the workflow is
   * resumed, a job that was resumed with it may come to another end.
   */
  async #end(slot: Slot, job: Job): Promise<SlotOutput> {
    const end = endOf(slot.id, job);
    try {
      await this.#context.step(
        `end of ${slot.id}`,
        () => {
          this.#tell(end);
          if (end.status !== "done") throw new ToolgateError("agent_failed", end.why ?? end.status);
          return null;
        },
        { safe: true },
      );
    } catch (error) {
      if (this.#context.signal.aborted) throw error;
    }
    const result = job.result ?? (end.status === "done" ? await this.#engine.result(job.id) : undefined);
    return { ...end, text: textOfResult(result) };
  }

  /** Writes down that a slot doesn't run. It is looked at anew when the workflow is resumed. */
  async #settle(end: SlotEnd): Promise<void> {
    const tell = (): null => {
      this.#tell(end);
      return null;
    };
    await this.#context.step(`${end.status} ${end.slot}`, tell, { safe: true });
    this.#ended.set(end.slot, { ...end, text: "" });
  }

  #tell(end: SlotEnd): void {
    const total = this.#task.plan.slots.length;
    const why = end.why === undefined ? "" : `: ${end.why}`;
    const done = Math.min(this.#ended.size + 1, total);
    this.#context.report({ message: `${end.slot} ${end.status}${why}`, done, total }, asJson(end));
  }
}

function endOf(slot: string, { id: jobId, status, error }: Job): SlotEnd {
  if (status === "completed") return { slot, status: "done", jobId };
  if (status === "cancelled") return { slot, status: "cancelled", jobId, why: "it was stopped" };
  return { slot, status: "failed", jobId, why: error?.message ?? "nobody knows why" };
}

function unfinished(lost: readonly SlotEnd[], all: readonly SlotEnd[]): ToolgateError {
  const said = lost.map(({ slot, status, why, by }) => {
    const root = by === undefined ? "" : ` by ${by.join(", ")}`;
    return `${slot} ${status}${status === "blocked" ? root : `: ${why ?? ""}`}`;
  });
  const done = all.filter(({ status }) => status === "done").length;
  return new ToolgateError(
    "agent_failed",
    `${done} of ${all.length} agents are done. Not done: ${said.join("; ")}`,
  );
}

function taskOf(input: Json): WorkflowTask {
  // The border: jobs of this kind are started by workflow_run and the command line only, which write such tasks.
  return input as unknown as WorkflowTask;
}

function asJson(end: SlotEnd): Readonly<Record<string, Json>> {
  const json: Readonly<Record<string, Json>> = JSON.parse(JSON.stringify(end));
  return json;
}
