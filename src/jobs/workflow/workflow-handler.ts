import { ToolgateError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import { AGENT, type AgentTask, taskInput, textOfResult } from "../agents/task.ts";
import type { JobEngine } from "../engine.ts";
import type { JobContext, JobHandler } from "../handler.ts";
import type { Job } from "../job.ts";
import type { SlotEnd, SlotOutput } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import { readiness } from "./readiness.ts";
import { type Slot, waitsFor } from "./slot.ts";
import { slotPrompt, slotRole } from "./slot-prompt.ts";

/** A workflow's work: the input of its job. */
export interface WorkflowTask {
  readonly plan: Plan;
  /** What its agents have in common. */
  readonly agents: Pick<AgentTask, "mode" | "bounds" | "budget" | "depth" | "rootId" | "tools">;
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

/** One run of a workflow's handler. */
class Run {
  readonly #engine: JobEngine;
  readonly #task: WorkflowTask;
  readonly #context: JobContext;
  readonly #ended = new Map<string, SlotOutput>();

  constructor(engine: JobEngine, task: WorkflowTask, context: JobContext) {
    this.#engine = engine;
    this.#task = task;
    this.#context = context;
  }

  /** Runs all slots. @throws ToolgateError `agent_failed` when a vital one isn't done, with all else finished */
  async all(): Promise<readonly SlotOutput[]> {
    const { slots } = this.#task.plan;
    const turns = new Map<string, Promise<SlotOutput>>();
    const turn = (slot: Slot): Promise<SlotOutput> => {
      const known = turns.get(slot.id);
      if (known !== undefined) return known;
      const before = slots.filter(({ id }) => waitsFor(slot).includes(id)).map(turn);
      const own = Promise.all(before).then(() => this.#one(slot));
      turns.set(slot.id, own);
      return own;
    };
    const ends = await Promise.all(slots.map(turn));
    const lost = ends.filter(({ slot, status }) => {
      const isVital = slots.some(({ id, isVital: vital }) => id === slot && vital);
      return isVital && status !== "done" && status !== "skipped";
    });
    if (lost.length > 0) throw unfinished(lost, ends);
    return ends;
  }

  async #one(slot: Slot): Promise<SlotOutput> {
    const not = readiness(slot, this.#ended);
    const output = not === undefined ? await this.#run(slot) : { ...(await this.#settle(not)), text: "" };
    this.#ended.set(slot.id, output);
    return output;
  }

  async #run(slot: Slot): Promise<SlotOutput> {
    const { retries = 0 } = slot.agent;
    for (let attempt = 0; ; attempt += 1) {
      const name = attempt === 0 ? slot.id : `${slot.id}~${attempt + 1}`;
      const jobId = await this.#start(slot, name);
      const job = await this.#context.first([jobId]);
      const mayHelp = job.status === "failed" && !HOPELESS.has(job.error?.code ?? "");
      if (mayHelp && attempt < retries) continue;
      return this.#end(slot, job);
    }
  }

  #start(slot: Slot, name: string): Promise<string> {
    const { plan, agents, queue, timeMs } = this.#task;
    const { tools, model, timeout } = slot.agent;
    const role = slotRole(slot);
    const task: AgentTask = {
      ...agents,
      prompt: slotPrompt(plan.goal, slot, this.#ended),
      label: slot.label,
      tools: tools ?? agents.tools,
      ...(tools === undefined ? {} : { needsTools: true }),
      ...(role === undefined ? {} : { role }),
      ...(model === undefined ? {} : { model }),
      readsBelow: this.#context.job.id,
    };
    return this.#context.start(name, {
      kind: AGENT,
      input: taskInput(task),
      label: slot.label,
      queue,
      deadlineMs: timeout === undefined ? timeMs : Math.ceil(timeout * 1000),
    });
  }

  /**
   * Writes down how a slot's last job ended. What isn't done makes its step fail, and a failed step is run again when the workflow is
   * resumed: then it waits for the job, which was resumed as well.
   */
  async #end(slot: Slot, { id: jobId }: Job): Promise<SlotOutput> {
    let known: SlotEnd | undefined;
    try {
      await this.#context.step(
        `end of ${slot.id}`,
        async (signal) => {
          const job = await this.#engine.wait(jobId, signal);
          known = endOf(slot.id, job);
          this.#tell(known);
          if (job.status !== "completed") throw new ToolgateError("agent_failed", known.why ?? job.status);
          return null;
        },
        { safe: true },
      );
      return { slot: slot.id, status: "done", jobId, text: textOfResult(await this.#engine.result(jobId)) };
    } catch (error) {
      if (this.#context.signal.aborted) throw error;
      const end = known ?? endOf(slot.id, await this.#engine.wait(jobId, this.#context.signal));
      return { ...end, text: "" };
    }
  }

  /** Writes down that a slot doesn't run. It is looked at anew when the workflow is resumed. */
  async #settle(end: SlotEnd): Promise<SlotEnd> {
    const name = `${end.status} ${end.slot}`;
    await this.#context.step(name, () => void this.#tell(end), { safe: true });
    return end;
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
