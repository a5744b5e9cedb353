import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { ToolgateError } from "../errors.ts";
import { nearestNames } from "../lib/nearest.ts";
import type { JsonSchema, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import type { Skill } from "./skill.ts";

/** The name of the tool that shows skills. */
export const SKILL_TOOL = "Skill";

/** Shows a skill's text. In a toolkit whenever there are skills. */
export class SkillTool extends ToolBase {
  readonly name: string = SKILL_TOOL;
  readonly description: string =
    "Reads a skill: instructions for a particular kind of work. The skills there are, and when to read which, are listed in " +
    "the system prompt.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: { skill: { type: "string", description: "The skill's name, exactly as listed." } },
    required: ["skill"],
    additionalProperties: false,
  };
  override readonly isReadOnly: boolean = true;
  override readonly isConcurrencySafe: boolean = true;
  readonly #skills: () => Promise<readonly Skill[]>;

  constructor(skills: () => Promise<readonly Skill[]>) {
    super();
    this.#skills = skills;
  }

  /** Nothing but text that the session was given anyway. */
  override effects(): readonly Effect[] {
    return [];
  }

  override async call({ skill: wanted }: ToolInput): Promise<ToolChunk> {
    const skills = await this.#skills();
    const skill = skills.find(({ name }) => name === wanted);
    if (skill !== undefined) {
      const { markdown, directory } = skill;
      return toolChunk({ text: markdown, metadata: directory === undefined ? {} : { directory } });
    }
    const names = skills.map(({ name }) => name);
    const near = nearestNames(String(wanted), names);
    throw new ToolgateError("not_found", `There is no skill ${JSON.stringify(wanted)}.`, {
      hint:
        near.length > 0
          ? `Did you mean ${near.map((name) => JSON.stringify(name)).join(" or ")}?`
          : `There are: ${names.map((name) => JSON.stringify(name)).join(", ")}.`,
    });
  }
}
