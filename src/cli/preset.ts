import { join } from "node:path";
import type { AssistantDeps, ToolStatus } from "../assistant/register-all-tools.ts";
import { ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { readSmallText } from "../lib/small-text.ts";
import type { Tool } from "../tool.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import { codingTools, PRESETS, planTools } from "../tools/presets.ts";

/** A preset's tools that need nothing but a place to act in. @throws ToolgateError `usage` */
export function presetTools(preset: string): readonly Tool[] {
  if (preset === "assistant") return [];
  if (preset === "all") return [...codingTools(), ...planTools()];
  const make = new Map(Object.entries(PRESETS)).get(preset);
  if (make !== undefined) return make();
  throw new ToolgateError("usage", `There is no preset ${JSON.stringify(preset)}.`, {
    hint: `Use one of ${Object.keys(PRESETS).join(", ")}.`,
  });
}

/** The preset to look for a tool in that was named at the command line: the one for coding, unless it has none of that name. */
export function presetWith(toolName: string | undefined): string {
  const isOther = toolName !== undefined && !toolName.startsWith("mcp__");
  return isOther && !codingTools().some(({ name }) => name === toolName) ? "all" : "coding";
}

/**
 * Gives a conversation what it has whatever its preset: a plan, and others that work for it. Answers why some of that isn't there.
 */
export async function completeConversation(
  toolkit: Toolkit,
  parts: SessionParts,
): Promise<readonly string[]> {
  toolkit.register(planTools().filter(({ name }) => toolkit.get(name) === undefined));
  const problems: string[] = [];
  for (const make of [parts.jobs, parts.schedules]) {
    try {
      const made = [(await make?.(toolkit)) ?? []].flat();
      toolkit.register(made.filter(({ name }) => toolkit.get(name) === undefined));
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  return problems;
}

/** What a process has for the sessions of an assistant. */
export type SessionParts = Pick<AssistantDeps, "channels" | "conversation" | "jobs" | "schedules">;

/** A preset's tools for a sub-agent: those that need no chat and start no others. */
export async function toolsBelow(preset: string, workspace: string): Promise<readonly Tool[]> {
  const tools = presetTools(preset);
  if (preset !== "assistant" && preset !== "all") return tools;
  const toolkit = new (await import("../toolkit/toolkit.ts")).Toolkit({ tools });
  await completePreset(preset, toolkit, workspace);
  return toolkit.tools;
}

/** Registers a preset's other tools, as far as what they need is there, and answers how each stands. */
export async function completePreset(
  preset: string,
  toolkit: Toolkit,
  workspace: string,
  parts: SessionParts = {},
): Promise<readonly ToolStatus[]> {
  if (preset !== "assistant" && preset !== "all") return [];
  const { registerAllTools } = await import("../assistant/register-all-tools.ts");
  return registerAllTools(toolkit, { ...(await assistantDeps(workspace)), ...parts });
}

/** What the command line has for an assistant's tools. A new one is a member here. */
async function assistantDeps(workspace: string): Promise<AssistantDeps> {
  return {
    skills: { folders: [join(workspace, "skills")], disabled: await disabledSkills(workspace) },
    memory: async () => new (await import("../tools/memory.ts")).Memory(),
  };
}

/** The skills that a workspace's `.skills_config.json` switches off. */
async function disabledSkills(workspace: string): Promise<readonly string[]> {
  const path = join(workspace, ".skills_config.json");
  let text: string;
  try {
    text = await readSmallText(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw new ToolgateError("invalid_settings", `${path} can't be read.`, { cause: error });
  }
  try {
    const value: unknown = JSON.parse(text);
    const names = isObject(value) ? (value.disabled_skills ?? []) : undefined;
    if (Array.isArray(names)) return names.filter((name) => typeof name === "string");
  } catch {
    // Said below: whoever switched something off must not find it on.
  }
  throw new ToolgateError("invalid_settings", `${path} is no JSON object with a list \`disabled_skills\`.`);
}
