/** Knowledge that a model reads when it needs it: what a `SKILL.md` holds. */
export interface Skill {
  readonly name: string;
  /** For the model: when to read it. */
  readonly description: string;
  /** The text without its front matter. */
  readonly markdown: string;
  /** Where the files are that the text speaks of. Absolute. */
  readonly directory?: string;
}

/** What was found, and what is wrong with what is not shown. */
export interface FoundSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly string[];
}

/** Somebody who knows of skills, and is asked each time they are needed: a workspace. */
export interface SkillLoader {
  listSkills(): Promise<FoundSkills>;
}

/** What the system prompt says about skills; empty when there are none. */
export function skillPrompt(skills: readonly Skill[]): string {
  if (skills.length === 0) return "";
  const entries = skills.map(({ name, description, directory }) => {
    const where = directory === undefined ? [] : [`    <dir>${escapeXml(directory)}</dir>`];
    return [
      "  <skill>",
      `    <name>${escapeXml(name)}</name>`,
      `    <description>${escapeXml(description)}</description>`,
      ...where,
      "  </skill>",
    ].join("\n");
  });
  return [
    "<agent-skills>",
    "  Skills are instructions for particular kinds of work; they are not tools. Before you do such work, read the skill with the",
    "  Skill tool by its name. Paths in a skill's text are relative to its dir.",
    ...entries,
    "</agent-skills>",
  ].join("\n");
}

/** A text that is nothing but text inside XML. */
export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&apos;");
}
