import type { AgentRequest } from "./request.ts";

/** An agent with its name. */
export type NamedAgent = AgentRequest & { readonly id: string };

/** One agent's turn in a workflow. Plain JSON. */
export interface Slot {
  /** One of its kind in the workflow, and part of its job's id. */
  readonly id: string;
  /** For people. */
  readonly label: string;
  readonly agent: NamedAgent;
  /** Slots without whose end as done it doesn't run. */
  readonly needs: readonly string[];
  /** Slots that it waits for, and takes what there is: those of others in a council. */
  readonly hears: readonly string[];
  /** What it is to do with what came before. */
  readonly part: "task" | "position" | "review" | "synthesis";
  /** The workflow has failed when this isn't done. */
  readonly isVital: boolean;
}

/** All that a slot waits for, its condition's slot included. */
export function waitsFor({ needs, hears, agent }: Slot): readonly string[] {
  const { condition } = agent;
  return [...new Set([...needs, ...hears, ...(condition === undefined ? [] : [condition.node])])];
}
