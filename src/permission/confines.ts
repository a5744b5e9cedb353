import type { PermissionDecision } from "../decision.ts";
import type { ExecuteEffect } from "../effect.ts";
import type { PermissionRule, RuleConfinement } from "../rule.ts";
import type { PermissionContext } from "../tool.ts";
import { type CommandRule, commandCovers } from "./command-rule.ts";
import { strictest, toConfinement } from "./rule-confinement.ts";
import { type RuleGroup, rankOf } from "./rule-set.ts";
import { WILD } from "./rule-words.ts";
import type { Scene } from "./scene.ts";
import { namesTool } from "./tool-name.ts";

/** A rule that speaks about one command, and how narrowly. */
interface Claim {
  readonly rule: PermissionRule;
  readonly narrowness: number;
}

/**
 * An allow with what its rules want enforced. Of the rules that speak about one command, the strongest tier's narrowest decides
 * whether it is confined; a command line runs as one, so the strictest confinement of its commands holds for all of it.
 */
export function withConfinement(
  decision: PermissionDecision,
  group: RuleGroup,
  toolName: string,
  scene: Scene | undefined,
  context: PermissionContext,
): PermissionDecision {
  if (decision.behavior !== "allow" || !group.confines) return decision;
  let confine =
    decision.reason?.rule === undefined || scene !== undefined ? undefined : decision.reason.rule.confine;
  for (const effect of scene?.effects ?? []) {
    if (effect.kind !== "execute") continue;
    const wanted = commandConfinement(group, toolName, effect);
    if (wanted !== undefined) confine = confine === undefined ? wanted : strictest(confine, wanted);
  }
  return confine === undefined ? decision : { ...decision, confine: toConfinement(confine, context) };
}

function commandConfinement(
  group: RuleGroup,
  toolName: string,
  effect: ExecuteEffect,
): RuleConfinement | undefined {
  let best: Claim | undefined;
  for (const { rule, tool } of group.tools) {
    if (namesTool(tool, toolName)) best = stronger(best, { rule, narrowness: 0 });
  }
  for (const list of [...group.commands.values(), group.anyCommands]) {
    for (const { rule, tool, test } of list) {
      if (!namesTool(tool, toolName) || !commandCovers(test, effect)) continue;
      best = stronger(best, { rule, narrowness: narrownessOf(test) });
    }
  }
  return best?.rule.confine;
}

/** A rule of a weaker tier never loosens what a stronger one confines; between equals the confined one counts. */
function stronger(a: Claim | undefined, b: Claim): Claim {
  if (a === undefined) return b;
  const tiers = rankOf(a.rule) - rankOf(b.rule);
  if (tiers !== 0) return tiers < 0 ? a : b;
  if (a.narrowness !== b.narrowness) return a.narrowness > b.narrowness ? a : b;
  if (a.rule.confine === undefined || b.rule.confine === undefined)
    return a.rule.confine === undefined ? b : a;
  return {
    rule: { ...a.rule, confine: strictest(a.rule.confine, b.rule.confine) },
    narrowness: a.narrowness,
  };
}

/** An exact command is narrower than any beginning, a longer beginning than a shorter one. */
function narrownessOf({ pattern }: CommandRule): number {
  const exact = !pattern.prefix && !pattern.wild;
  const letters = pattern.words.reduce((sum, { text }) => sum + text.replaceAll(WILD, "").length + 1, 0);
  return exact ? Number.MAX_SAFE_INTEGER : letters;
}
