import { ToolgateError } from "../errors.ts";
import { formatRule, parseRule } from "../permission/rule-text.ts";
import type { PermissionRule } from "../rule.ts";
import type { RuleInput } from "./options.ts";

/**
 * Reads a rule as callers give it.
 * @throws ToolgateError `invalid_rule`
 */
export function readRule(input: RuleInput): PermissionRule {
  // A rule made by code is held to the same grammar: one that can match nothing is a mistake wherever it comes from.
  if (typeof input !== "string") return parseRule(formatRule(input), input.behavior, input.source);
  const [, behavior, text] = /^\s*(allow|deny|ask)\s*:(.*)$/s.exec(input) ?? [];
  if (text !== undefined && (behavior === "allow" || behavior === "deny" || behavior === "ask")) {
    return parseRule(text, behavior, "session");
  }
  throw new ToolgateError("invalid_rule", `Rule ${JSON.stringify(input)} doesn't say what it does.`, {
    hint: "Begin with allow:, deny: or ask:, as in allow:Bash(git:*).",
  });
}
