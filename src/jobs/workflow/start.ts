import { ToolgateError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import { boundsOf } from "../agents/bounds.ts";
import type { JobDesk } from "../agents/job-desk.ts";
import type { Parent } from "../agents/parent.ts";
import { toolsUnder } from "../agents/spawn.ts";
import type { JobRequest } from "../handler.ts";
import { planOf, WORKFLOW } from "./plan.ts";
import type { WorkflowRequest, WorkflowTeam } from "./request.ts";
import type { Teams } from "./teams.ts";
import type { WorkflowTask } from "./workflow-handler.ts";

/**
 * The job that runs a workflow. Everything in it is checked: nothing has begun when this throws.
 * @throws ToolgateError `invalid_input`, `not_found`, `unknown_tool`, `invalid_settings`
 */
export async function workflowJob(
  request: WorkflowRequest,
  { desk, parent, teams }: { readonly desk: JobDesk; readonly parent: Parent; readonly teams: Teams },
): Promise<JobRequest> {
  const { toolkit, rootId, depth, jobId } = parent;
  const team = await teamOf(request, teams);
  const goal = (request.goal ?? "").trim();
  if (goal === "") throw new ToolgateError("invalid_input", "There is no goal: say what all this is for.");
  const plan = planOf(goal, team);
  const granted = desk.grantable(toolkit);
  for (const { tools } of team.agents) if (tools !== undefined) toolsUnder(granted, tools);
  for (const { model } of [...team.agents, team]) if (model !== undefined) await desk.model(model);
  const task: WorkflowTask = {
    plan,
    agents: {
      mode: toolkit.mode,
      bounds: boundsOf(toolkit),
      budget: { iterations: desk.budget.iterations, tokens: desk.budget.tokens },
      depth: depth + 1,
      rootId,
      tools: granted,
    },
    queue: desk.queue,
    timeMs: desk.budget.timeMs,
  };
  const input: Json = JSON.parse(JSON.stringify(task));
  return {
    kind: WORKFLOW,
    input,
    label: labelOf(goal),
    queue: desk.queue,
    sessionId: rootId,
    ...(jobId === undefined ? {} : { parentId: jobId }),
  };
}

async function teamOf(
  { mode, agents, team_name: name, ...more }: WorkflowRequest,
  teams: Teams,
): Promise<WorkflowTeam> {
  if (name !== undefined) return teams.get(name);
  if (agents === undefined)
    throw new ToolgateError("invalid_input", "There are neither agents nor a team_name.");
  if (mode === undefined) {
    throw new ToolgateError("invalid_input", "The agents have no mode.", {
      hint: "Use pipeline, graph or council.",
    });
  }
  const { cross_review, rounds, model } = more;
  return {
    mode,
    agents,
    ...(cross_review === undefined ? {} : { cross_review }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(model === undefined ? {} : { model }),
  };
}

function labelOf(goal: string): string {
  const line = goal.split("\n", 1)[0]?.trim() ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
