import type { PermissionDecision } from "../decision.ts";
import type { ToolCall } from "../event.ts";
import { decide } from "../permission/engine.ts";
import type { Gate } from "./gate.ts";
import { readInput } from "./read-input.ts";
import { withSuggestions } from "./settle.ts";

/**
 * The verdict that a call would get now, with the rules that would settle it. Runs nothing, asks nobody, records nothing.
 * @throws ToolgateError `unknown_tool`, `tool_inactive`, `invalid_input`
 */
export async function judgeCall(
  gate: Gate,
  name: string,
  raw: ToolCall["input"],
): Promise<PermissionDecision> {
  const tool = gate.find(name);
  const input = await readInput(tool, raw, gate.limits.inputChars);
  const context = gate.contextFor(await gate.backendOf(tool));
  const decision = await decide(tool, input, context);
  return decision.behavior === "allow" ? decision : withSuggestions({ tool, input, context }, decision);
}
