import { ToolgateError } from "../errors.ts";
import { parseRule } from "../permission/rule-text.ts";
import type { PermissionRule, RuleBehavior } from "../rule.ts";

/** A rule as the command line has it. @throws ToolgateError `usage`, `invalid_rule` */
export function ruleOf(text: string): PermissionRule {
  const { behavior, content } = splitRule(text);
  return parseRule(content, behavior, "session");
}

/** Behavior and rule of `allow:Bash(git:*)`. @throws ToolgateError `usage` */
export function splitRule(text: string): { readonly behavior: RuleBehavior; readonly content: string } {
  const [, behavior, content] = /^(allow|deny|ask):(.+)$/s.exec(text) ?? [];
  if (behavior === "allow" || behavior === "deny" || behavior === "ask") {
    return { behavior, content: content ?? "" };
  }
  throw new ToolgateError("usage", `${JSON.stringify(text)} doesn't say what the rule does.`, {
    hint: "Begin with allow:, deny: or ask:, as in 'allow:Bash(git:*)'.",
  });
}
