import { isObject } from "../lib/json.ts";
import type { Skill } from "./skill.ts";

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** Bytes of that file at most. */
export const MAX_SKILL_BYTES: number = 1024 * 1024;

/** The skill that a text is, or what is wrong with it. */
export async function parseSkill(text: string, directory: string): Promise<Skill | string> {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const [whole, head] = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(plain) ?? [];
  if (whole === undefined || head === undefined)
    return "doesn't begin with front matter between two lines of ---";
  const { default: yaml } = await import("yaml");
  let facts: unknown;
  try {
    // Aliases can blow a small text up to a huge value; no skill needs them.
    facts = yaml.parse(head, { maxAliasCount: 0, logLevel: "error" });
  } catch (error) {
    const first = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return `has front matter that isn't YAML: ${first}`;
  }
  const { name, description } = isObject(facts) ? facts : {};
  if (typeof name !== "string" || name.trim() === "") return "has no name in its front matter";
  if (typeof description !== "string" || description.trim() === "") {
    return "has no description in its front matter";
  }
  const markdown = plain.slice(whole.length).replace(/^\n+/, "");
  return { name: name.trim(), description: description.trim(), markdown, directory };
}
