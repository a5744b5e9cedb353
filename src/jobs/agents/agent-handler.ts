import { Agent } from "../../agent/agent.ts";
import type { AgentReply } from "../../agent/event.ts";
import type { AgentModel } from "../../agent/model.ts";
import { ERROR_CODES, ToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import { newState } from "../../state.ts";
import type { Store } from "../../store.ts";
import type { Tool } from "../../tool.ts";
import type { ToolkitOptions } from "../../toolkit/options.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import type { JobContext, JobHandler } from "../handler.ts";
import { agentPrompt } from "./agent-prompt.ts";
import { CallSteps } from "./call-steps.ts";
import type { Couriers } from "./couriers.ts";
import { ModelSteps } from "./model-steps.ts";
import { Questions } from "./questions.ts";
import { Spending } from "./spending.ts";
import { type AgentResult, type SubagentTask, taskOf } from "./task.ts";

/** A sub-agent that a toolkit is made for. */
export interface AgentPlace {
  readonly sessionId: string;
  readonly label: string;
  /** Where its parent works. */
  readonly cwd: string;
  readonly workingDirectories: readonly string[];
}

/** What sub-agents are made of, in each process that runs them. */
export interface AgentParts {
  /** The model of a name; the usual one without. @throws ToolgateError `not_found` */
  readonly model: (name: string | undefined) => MaybePromise<AgentModel>;
  /** Tools, place, records and limits of a sub-agent; what it may do is seen to. */
  readonly toolkit: (place: AgentPlace) => MaybePromise<ToolkitOptions>;
  readonly couriers: Couriers;
  /** Tools for starting and reading jobs, where the sub-agent may have them. */
  readonly jobTools: (toolkit: Toolkit, task: SubagentTask, jobId: string) => readonly Tool[];
}

/** Silence is seen to where the model's answer is read. */
const LIMITS = { modelRetries: 0, modelSilenceMs: 2 ** 31 - 1 };

/** Runs a sub-agent: each call of its model and each call of a tool is a step. */
export function agentHandler(parts: AgentParts): JobHandler {
  return async (input, context) => {
    const task = taskOf(input);
    const { label, rootId, bounds } = task;
    const sessionId = context.job.id;
    const { cwd, workingDirectories } = bounds;
    const given = await parts.toolkit({ sessionId, label, cwd, workingDirectories });
    const questions = new Questions({ sessionId, label, rootId }, given.store, parts.couriers);
    const calls = new CallSteps(context, questions);
    await using toolkit = toolkitOf(given, task, sessionId, calls);
    toolkit.register(parts.jobTools(toolkit, task, sessionId));
    calls.watch(toolkit);
    const spending = new Spending(task.budget, context.job);
    const agent = new Agent({
      model: await parts.model(task.model),
      toolkit,
      name: label,
      system: () => agentPrompt(task, toolkit.state),
      // The budget says more about its end than the agent does.
      maxIterations: Number.MAX_SAFE_INTEGER,
      middlewares: [new ModelSteps(context, spending), calls],
      limits: LIMITS,
      // The job's steps keep what happens; the conversation is written down once, at its end.
      session: { save: async () => undefined },
    });
    const reply = await agent.reply(task.prompt, { signal: context.signal });
    context.signal.throwIfAborted();
    if (given.store !== undefined) await keepConversation(given.store, toolkit);
    checkEnd(reply, context);
    const { iterations, tokens } = spending;
    const result: AgentResult = { text: reply.text, iterations, tokens };
    return { ...result };
  };
}

function toolkitOf(
  given: ToolkitOptions,
  task: SubagentTask,
  sessionId: string,
  { approver }: Pick<CallSteps, "approver">,
): Toolkit {
  const { bounds, mode } = task;
  const [project = bounds.cwd, ...others] = bounds.workingDirectories;
  const { external: _external, sessionId: _sessionId, groups: _groups, ...rest } = given;
  return new Toolkit({
    ...rest,
    cwd: given.cwd ?? project,
    tools: chosen(given.tools ?? [], task),
    mode,
    rules: [...bounds.ceiling, ...bounds.allowed, ...(given.rules ?? [])],
    state: newState({ cwd: given.cwd ?? bounds.cwd, sessionId, mode, workingDirectories: others }),
    approver,
  });
}

/** The tools that the sub-agent may have. @throws ToolgateError `unknown_tool` */
function chosen(tools: readonly Tool[], task: SubagentTask): readonly Tool[] {
  const wanted = new Set(task.tools);
  const found = tools.filter(({ name, isExternalTool }) => wanted.delete(name) && !isExternalTool);
  // With none at all it could do nothing: whoever runs it is set up otherwise than its parent.
  const isBare = found.length === 0 && task.tools.length > 0;
  if (!isBare && (task.needsTools !== true || wanted.size === 0)) return found;
  throw new ToolgateError("unknown_tool", `Sub-agents can't have the tools ${[...wanted].join(", ")} here.`);
}

async function keepConversation(store: Store, { state }: Toolkit): Promise<void> {
  try {
    const revision = (await store.load(state.sessionId))?.revision ?? 0;
    await store.save(state, revision);
  } catch {
    // It is there to be looked at; the result counts without it.
  }
}

/** @throws what kept the sub-agent from completing its task */
function checkEnd({ reason, error }: AgentReply, { signal }: JobContext): void {
  if (reason === "completed") return;
  signal.throwIfAborted();
  if (reason === "exceed_max_iters") {
    throw new ToolgateError("budget_exceeded", "It has used all its turns, and had not finished.");
  }
  const { code = "agent_failed", message = `It ended as ${reason}.` } = error ?? {};
  const known = ERROR_CODES.find((one) => one === code) ?? "model_failed";
  throw new ToolgateError(known, message);
}
