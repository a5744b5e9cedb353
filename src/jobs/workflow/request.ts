import type { JsonSchema } from "../../tool.ts";

/** When an agent runs: only when this holds of another one's output. */
export interface Condition {
  readonly type: "output_contains" | "output_not_contains";
  /** The agent whose output is looked at; it is waited for. */
  readonly node: string;
  readonly text: string;
}

/** One agent, as it is asked for. What the fields are is said in {@link WORKFLOW_SCHEMA}. */
export interface AgentRequest {
  readonly id?: string;
  readonly role?: string;
  readonly system_prompt?: string;
  readonly task?: string;
  readonly depends_on?: readonly string[];
  readonly perspective?: string;
  readonly condition?: Condition;
  readonly tools?: readonly string[];
  readonly model?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly retries?: number;
}

/** A team that can be used again: how agents work together, and which. */
export interface WorkflowTeam {
  readonly mode: "pipeline" | "graph" | "council";
  readonly agents: readonly AgentRequest[];
  readonly cross_review?: boolean;
  readonly rounds?: number;
  readonly model?: string;
}

/** A workflow, as it is asked for. */
export interface WorkflowRequest extends Partial<WorkflowTeam> {
  readonly goal?: string;
  readonly team_name?: string;
  readonly wait?: boolean;
  readonly resume?: string;
}

/** 1 to 64 visible characters, without those that job ids are put together with. */
const ID = { type: "string", pattern: "^[^\\s.@~/\\p{Cc}]{1,64}$" };
const TEXT = { type: "string", minLength: 1 };

const CONDITION = {
  type: "object",
  description: "It only runs when this holds of another agent's output.",
  properties: {
    type: { enum: ["output_contains", "output_not_contains"] },
    node: { ...ID, description: "The agent whose output is looked at; it is waited for." },
    text: TEXT,
  },
  required: ["type", "node", "text"],
  additionalProperties: false,
};

const AGENT = {
  type: "object",
  properties: {
    id: {
      ...ID,
      description:
        "Its name in the workflow. Needed in a graph; default elsewhere: its role, else its number.",
    },
    role: { ...TEXT, maxLength: 200, description: "Who it is to be, in a few words." },
    system_prompt: { ...TEXT, description: "Who it is to be, at length." },
    task: {
      ...TEXT,
      description: "What it is to do, with all that it has to know. Needed but in a council.",
    },
    depends_on: { type: "array", items: ID, description: "Graph only: agents whose outputs it needs." },
    perspective: {
      ...TEXT,
      description: "Council only: as whom it looks at the goal. Default: a neutral analyst.",
    },
    condition: CONDITION,
    tools: {
      type: "array",
      items: { type: "string" },
      description: "Names of your tools that it may have. Default: all.",
    },
    model: { ...TEXT, description: "Another model than the usual one." },
    timeout: { type: "number", exclusiveMinimum: 0, maximum: 86_400, description: "Seconds it may take." },
    retries: {
      type: "integer",
      minimum: 0,
      maximum: 5,
      description: "How often it is tried again when it fails. Default 0.",
    },
  },
  additionalProperties: false,
};

const TEAM = {
  mode: { enum: ["pipeline", "graph", "council"] },
  agents: { type: "array", items: AGENT, minItems: 1, maxItems: 50 },
  cross_review: {
    type: "boolean",
    description: "Council only: members see each other's positions and answer once more. Default true.",
  },
  rounds: {
    type: "integer",
    minimum: 1,
    maximum: 5,
    description: "Council only: rounds in all. Default 2; 1 without cross_review.",
  },
  model: { ...TEXT, description: "The model of agents that name none." },
};

/** What a team's file holds. */
export const TEAM_SCHEMA: JsonSchema = {
  type: "object",
  properties: TEAM,
  required: ["mode", "agents"],
  additionalProperties: false,
};

/** What `workflow_run` takes, and a workflow's file holds. */
export const WORKFLOW_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    goal: { ...TEXT, description: "What all this is for; every agent is told." },
    ...TEAM,
    team_name: {
      ...TEXT,
      description: "A saved team: its mode, agents and models count instead of those given here.",
    },
    wait: { type: "boolean", description: "False: answer an id at once. Default true." },
    resume: {
      ...TEXT,
      description:
        "A workflow that failed or was stopped: goes on with what isn't done. Nothing else with it.",
    },
  },
  additionalProperties: false,
};
