import { ToolgateError } from "../../errors.ts";
import { nearestNames } from "../../lib/nearest.ts";
import { councilSlots } from "./council.ts";
import { checkOrder } from "./order.ts";
import type { Condition, WorkflowTeam } from "./request.ts";
import type { NamedAgent, Slot } from "./slot.ts";

/** The kind of job that a workflow is. */
export const WORKFLOW = "workflow";

/** A workflow that can be run: nothing in it is unknown, double or goes in a circle. */
export interface Plan {
  readonly goal: string;
  readonly mode: WorkflowTeam["mode"];
  readonly slots: readonly Slot[];
}

/**
 * Makes a plan of what is asked for.
 * @throws ToolgateError `invalid_input` naming what is unknown, double or in a circle; nothing has run then
 */
export function planOf(goal: string, team: WorkflowTeam): Plan {
  const { mode } = team;
  const agents = named(team);
  for (const one of agents) checkAgent(mode, one);
  const slots =
    mode === "council" ? councilSlots(team, agents) : mode === "graph" ? graph(agents) : pipeline(agents);
  checkOrder(slots);
  return { goal, mode, slots };
}

function named({ mode, agents, model }: WorkflowTeam): readonly NamedAgent[] {
  const seen = new Map<string, number>();
  return agents.map((agent, at) => {
    const id = agent.id ?? (mode === "graph" ? undefined : fromRole(agent.role, at));
    if (id === undefined) throw invalid(`agents[${at}] has no id, by which others can depend on it.`);
    const before = seen.get(id);
    if (before !== undefined)
      throw invalid(
        `agents[${before}] and agents[${at}] are both ${JSON.stringify(id)}: each needs an id of its own.`,
      );
    seen.set(id, at);
    return { ...(model === undefined ? {} : { model }), ...agent, id };
  });
}

/** An id of what is given for people. */
function fromRole(role: string | undefined, at: number): string {
  const id = (role ?? "")
    .trim()
    .replace(/[\s.@~/\p{Cc}]+/gu, "_")
    .slice(0, 64);
  return id === "" ? `agent_${at + 1}` : id;
}

function checkAgent(
  mode: WorkflowTeam["mode"],
  { id, task, depends_on: depends, perspective, condition }: NamedAgent,
): void {
  const isCouncil = mode === "council";
  if (!isCouncil && (task ?? "").trim() === "") throw invalid(`${id} has no task.`);
  if (mode !== "graph" && depends !== undefined && depends.length > 0) {
    throw invalid(`${id} has depends_on, which a ${mode} doesn't know.`, "Use the mode graph.");
  }
  if (!isCouncil && perspective !== undefined)
    throw invalid(`${id} has a perspective, which only a council knows.`);
  if (isCouncil && condition !== undefined)
    throw invalid(`${id} has a condition, which a council doesn't know.`);
}

function graph(agents: readonly NamedAgent[]): readonly Slot[] {
  const ids = agents.map(({ id }) => id);
  return agents.map((agent) => {
    const { id, depends_on: needs = [], condition } = agent;
    for (const other of needs) checkKnown(id, other, "depends on", ids);
    checkCondition(id, condition, ids);
    return taskSlot(agent, [...new Set(needs)]);
  });
}

/** Each stage needs all before it. */
function pipeline(agents: readonly NamedAgent[]): readonly Slot[] {
  return agents.map((agent, at) => {
    const before = agents.slice(0, at).map(({ id }) => id);
    checkCondition(agent.id, agent.condition, before);
    return taskSlot(agent, before);
  });
}

function taskSlot(agent: NamedAgent, needs: readonly string[]): Slot {
  const { id, role } = agent;
  return { id, label: role ?? id, agent, needs, hears: [], part: "task", isVital: true };
}

function checkCondition(id: string, condition: Condition | undefined, ids: readonly string[]): void {
  if (condition === undefined) return;
  if (condition.node === id) throw invalid(`The condition of ${id} is about its own output.`);
  checkKnown(id, condition.node, "has a condition on", ids);
}

function checkKnown(id: string, other: string, how: string, ids: readonly string[]): void {
  if (ids.includes(other)) return;
  const near = nearestNames(other, ids);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are: ${ids.join(", ")}.`;
  throw invalid(`${id} ${how} ${JSON.stringify(other)}, which isn't there before it.`, hint);
}

function invalid(message: string, hint?: string): ToolgateError {
  return new ToolgateError("invalid_input", message, hint === undefined ? {} : { hint });
}
