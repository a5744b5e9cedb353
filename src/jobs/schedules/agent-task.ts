import type { Json } from "../../lib/json.ts";
import { formatRule } from "../../permission/rule-text.ts";
import type { AgentState } from "../../state.ts";

/** The kind of jobs that are an agent with a prompt; its input is an {@link AgentTask}. */
export const AGENT_JOB = "agent";

/** What an agent's job is to do, and as what. */
export interface AgentTask {
  readonly prompt: string;
  /** @default the settings' */
  readonly mode?: string;
  /** Where it works. Absolute. */
  readonly cwd?: string;
  /** A session to talk in. @default one of its own */
  readonly session?: string;
  /** Rules besides the settings', in the form `deny:Bash(rm:*)`. */
  readonly rules?: readonly string[];
}

/** A task for a session: what is denied or asked there is denied or asked here, too. */
export function taskFor({ cwd, permissions }: AgentState, prompt: string, mode: string): AgentTask {
  const rules = permissions.rules
    .filter(({ behavior }) => behavior !== "allow")
    .map((rule) => `${rule.behavior}:${formatRule(rule)}`);
  return { prompt, mode, cwd, ...(rules.length === 0 ? {} : { rules }) };
}

/** The task as a job's input. */
export function asInput({ prompt, mode, cwd, session, rules }: AgentTask): Json {
  return {
    prompt,
    ...(mode === undefined ? {} : { mode }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(session === undefined ? {} : { session }),
    ...(rules === undefined ? {} : { rules }),
  };
}
