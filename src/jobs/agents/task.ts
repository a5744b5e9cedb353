import type { Json } from "../../lib/json.ts";
import type { PermissionMode } from "../../rule.ts";
import type { Bounds } from "./bounds.ts";

/** The kind of job that a sub-agent is. */
export const SUBAGENT = "subagent";

/** What a sub-agent may use up. When it has, it ends as failed, never as completed. */
export interface AgentBudget {
  /** How often its model is called. @default 25 */
  readonly iterations: number;
  /** Tokens, what it reads and what it writes together. @default 2000000 */
  readonly tokens: number;
  /** From its start on, queue and waits for answers included. Milliseconds. @default 1200000, twenty minutes */
  readonly timeMs: number;
}

/** The budget where none is set. */
export const DEFAULT_BUDGET: AgentBudget = { iterations: 25, tokens: 2_000_000, timeMs: 1_200_000 };

/** A sub-agent's work: the input of its job. */
export interface SubagentTask {
  /** All that it is told to do. */
  readonly prompt: string;
  readonly label: string;
  /** Who it is to be, for its system prompt. */
  readonly role?: string;
  /** Names of the tools that it may have. */
  readonly tools: readonly string[];
  /** Without one of them it isn't to begin. @default those that there are will do */
  readonly needsTools?: boolean;
  /** @default the usual one */
  readonly model?: string;
  readonly mode: PermissionMode;
  readonly bounds: Bounds;
  readonly budget: Pick<AgentBudget, "iterations" | "tokens">;
  /** 1 below a session that is nobody's sub-agent. */
  readonly depth: number;
  /** The session that all this is done for. */
  readonly rootId: string;
  /** May read what other jobs below this one have come to. */
  readonly readsBelow?: string;
}

/** What a sub-agent came to: the result of its job. */
export interface AgentResult {
  /** Its last message. */
  readonly text: string;
  /** How often its model was called. */
  readonly iterations: number;
  readonly tokens: number;
}

/** A task as the input of a job, without what is left out. */
export function taskInput(task: SubagentTask): Json {
  const input: Json = JSON.parse(JSON.stringify(task));
  return input;
}

/** A job's input read back: it was written by {@link taskInput}. */
export function taskOf(input: Json): SubagentTask {
  // The border: jobs of this kind are started here only.
  return input as unknown as SubagentTask;
}

/** The text of a completed sub-agent's result. */
export function textOfResult(result: Json | undefined): string {
  const isResult = typeof result === "object" && result !== null && "text" in result;
  return isResult && typeof result.text === "string" ? result.text : "";
}
