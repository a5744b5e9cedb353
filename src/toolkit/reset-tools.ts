import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { kindOf } from "../lib/json-input.ts";
import { nearestNames } from "../lib/nearest.ts";
import type { AgentState } from "../state.ts";
import type { InputIssue, JsonSchema, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { escapeXml } from "./skill.ts";

/** The name of the tool with which a model chooses its groups. */
export const RESET_TOOLS = "reset_tools";

/** What it needs to know of a group. */
export interface GroupFacts {
  readonly name: string;
  readonly description: string;
  readonly instructions?: string;
}

/** Activates groups of tools. In a toolkit whenever there are groups. What the model gives is the final state. */
export class ResetTools extends ToolBase {
  readonly name: string = RESET_TOOLS;
  readonly description: string =
    "Chooses which groups of tools are active. Set the groups you need for what comes next to true: all others are deactivated, " +
    "also those that you leave out. Their tools can be called from then on.";
  readonly inputSchema: JsonSchema;
  readonly #groups: readonly GroupFacts[];
  readonly #state: AgentState;
  readonly #changed: () => void;

  /** `changed` is told when the model has chosen. */
  constructor(groups: readonly GroupFacts[], state: AgentState, changed: () => void = () => undefined) {
    super();
    this.#groups = groups;
    this.#state = state;
    this.#changed = changed;
    const properties = groups.map(({ name, description }) => {
      return [name, { type: "boolean", description, default: false }] as const;
    });
    this.inputSchema = {
      type: "object",
      properties: Object.fromEntries(properties),
      additionalProperties: false,
    };
  }

  checkInput(input: ToolInput): readonly InputIssue[] {
    const names = this.#groups.map(({ name }) => name);
    return Object.entries(input).flatMap(([name, value]) => {
      if (!names.includes(name)) {
        const [near] = nearestNames(name, names, 1);
        const hint = near === undefined ? `the groups are ${names.join(", ")}` : `did you mean ${near}?`;
        return [{ path: name, message: `is no group; ${hint}` }];
      }
      if (typeof value === "boolean") return [];
      return [{ path: name, message: `expected true or false, got ${kindOf(value)}` }];
    });
  }

  /** It touches nothing but the session, so it is allowed in every mode. */
  override effects(): readonly Effect[] {
    return [];
  }

  override async call(input: ToolInput): Promise<ToolChunk> {
    const active = this.#groups.filter(({ name }) => Object.hasOwn(input, name) && input[name] === true);
    this.#state.tools.activatedGroups = active.map(({ name }) => name);
    this.#changed();
    if (active.length === 0) return toolChunk({ text: "No group of tools is active now." });
    const names = active.map(({ name }) => name).join(", ");
    return toolChunk({ text: `Active groups of tools now: ${names}.${instructionsOf(active)}` });
  }
}

function instructionsOf(groups: readonly GroupFacts[]): string {
  const texts = groups.flatMap(({ name, instructions }) =>
    instructions === undefined ? [] : [`<group name="${escapeXml(name)}">${instructions}</group>`],
  );
  return texts.length === 0 ? "" : `\n<tool-instructions>\n${texts.join("\n")}\n</tool-instructions>`;
}
