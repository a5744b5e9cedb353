import { type ToolChunk, toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import type { AgentState } from "../../state.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import { boundsOf, modeUnder } from "./bounds.ts";
import { longestRunMs } from "./job-desk.ts";
import { callMark, JobTool } from "./job-tool.ts";
import { hasEnded, standing } from "./job-words.ts";
import { forget, remember } from "./started.ts";
import { SUBAGENT, type SubagentTask, taskInput } from "./task.ts";

/** Starts a sub-agent. */
export class Spawn extends JobTool {
  readonly name = "spawn";
  readonly description: string = [
    "Starts a sub-agent for one task and answers its id at once; you go on meanwhile, and are told when it has ended. Don't wait for it by sleeping or asking again and again.",
    "It sees nothing of this conversation: say in task all that it has to know, and what its answer is to hold.",
    "It works with your tools, or those of them that you name, and never with more permission than you have. What it must ask is put to your person.",
    "spawn_output shows what it came to, spawn_status how it stands, spawn_stop ends it. With wait the answer comes when it has ended.",
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      task: { type: "string", minLength: 1, description: "Everything that it is to do and to know." },
      label: {
        type: "string",
        maxLength: 200,
        description: "What people see of it. Default: how task begins.",
      },
      tools: {
        type: "array",
        items: { type: "string" },
        description: "Names of your tools that it may have. Default: all.",
      },
      model: { type: "string", description: "Another model than the usual one." },
      mode: {
        type: "string",
        description: "A permission mode that is no looser than yours. Default: yours.",
      },
      wait: { type: "boolean", description: "Answer when it has ended, or after a while with its id." },
    },
    required: ["task"],
    additionalProperties: false,
  };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
  override readonly isStateInjected = true;
  /** Outputs are bounded where they are put together, each with where the rest is. */
  readonly boundsOwnAnswers = true;
  readonly longestRunMs: number = longestRunMs(this.desk);

  /** Tells of jobs that have ended. */
  news(state: AgentState): Promise<readonly string[]> {
    return this.desk.news(state);
  }

  override async call(input: ToolInput, context: CallContext): Promise<ToolChunk> {
    const { engine } = this.desk;
    const task = await this.#task(input);
    const id = await this.#start(task, context);
    if (context.state !== undefined) remember(context.state, id);
    if (input.wait === true) return this.#wait(id, context);
    this.desk.follow(id, this.parent);
    const job = await engine.get(id);
    return toolChunk({
      text: `Started as ${id}${job === undefined ? "" : ` (${standing(job)})`}. You will be told when it has ended; go on with something else, or end your turn.`,
      state: "success",
      metadata: { jobId: id, label: task.label },
    });
  }

  async #task(input: ToolInput): Promise<SubagentTask> {
    const { toolkit, rootId, depth } = this.parent;
    const { budget } = this.desk;
    const prompt = String(input.task).trim();
    if (prompt === "") throw new ToolgateError("invalid_input", "`task` is empty: say what is to be done.");
    await this.desk.checkRoom(this.parent);
    const { model, label, mode } = input;
    const named = Array.isArray(input.tools) ? input.tools.map(String) : undefined;
    if (typeof model === "string") await this.desk.model(model);
    return {
      prompt,
      label: typeof label === "string" && label.trim() !== "" ? label.trim() : beginning(prompt),
      tools: toolsUnder(this.desk.grantable(toolkit), named),
      ...(named === undefined ? {} : { needsTools: true }),
      ...(typeof model === "string" ? { model } : {}),
      mode: modeUnder(toolkit.mode, typeof mode === "string" ? mode : undefined),
      bounds: boundsOf(toolkit),
      budget: { iterations: budget.iterations, tokens: budget.tokens },
      depth: depth + 1,
      rootId,
    };
  }

  async #start(task: SubagentTask, context: CallContext): Promise<string> {
    const { rootId, jobId } = this.parent;
    return this.desk.engine.enqueue({
      id: `agent_${callMark(context)}`,
      kind: SUBAGENT,
      input: taskInput(task),
      label: task.label,
      queue: this.desk.queue,
      sessionId: rootId,
      deadlineMs: this.desk.budget.timeMs,
      ...(jobId === undefined ? {} : { parentId: jobId }),
    });
  }

  async #wait(id: string, context: CallContext): Promise<ToolChunk> {
    const job = await this.desk.waitFor(id, context);
    if (!hasEnded(job)) return this.desk.stillOpen(job, this.parent);
    const { status, error } = job;
    const metadata = { jobId: id, status, ...(error === undefined ? {} : { code: error.code }) };
    if (context.state !== undefined) forget(context.state, id);
    const state = status === "completed" ? "success" : status === "failed" ? "error" : "interrupted";
    return toolChunk({ text: await this.desk.describe(job), state, metadata });
  }
}

/** The tools that a sub-agent may have of its parent's. @throws ToolgateError `unknown_tool` */
export function toolsUnder(
  granted: readonly string[],
  named: readonly string[] | undefined,
): readonly string[] {
  const missing = (named ?? []).filter((name) => !granted.includes(name));
  if (missing.length === 0) return named ?? granted;
  throw new ToolgateError("unknown_tool", `You have no tools ${missing.join(", ")} to give.`, {
    hint: `There are: ${granted.join(", ")}.`,
  });
}

function beginning(text: string): string {
  const line = text.split("\n", 1)[0]?.trim() ?? "";
  return line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line;
}
