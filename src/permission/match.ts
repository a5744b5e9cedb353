import type { Effect } from "../effect.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { PermissionContext } from "../tool.ts";
import { commandFires, compileCommandRule } from "./command-rule.ts";
import { firstFiring, hostMatches, reachesPlace, reachOf } from "./fires.ts";
import { hostName } from "./host-name.ts";
import { compilePathRule } from "./path-rule.ts";
import { compileGroup, ruleBase } from "./rule-set.ts";
import { makeScene, type Scene } from "./scene.ts";
import { subjectOf } from "./tool-name.ts";

/**
 * Whether a rule `toolName(ruleContent)` speaks about any of these effects, in any form: the direction of deny and ask rules.
 * A content of `null` matches every call.
 */
export function matchEffects(
  toolName: string,
  ruleContent: string | null,
  effects: readonly Effect[],
  context: PermissionContext,
): MaybePromise<boolean> {
  if (ruleContent === null) return true;
  const scene = makeScene(effects, context);
  const match = (ready: Scene): boolean => matchScene(toolName, ruleContent, ready);
  return scene instanceof Promise ? scene.then(match) : match(scene);
}

/** {@link matchEffects} on places that are already resolved. */
export function matchScene(toolName: string, ruleContent: string, scene: Scene): boolean {
  if (subjectOf(toolName, ruleContent) === "own") return matchOwn(ruleContent, scene);
  const rule = { toolName, ruleContent, behavior: "deny", source: "session" } as const;
  const group = compileGroup([rule], true, ruleBase(scene.context));
  return group.tools.length > 0 || firstFiring(group, toolName, scene) !== undefined;
}

/** A rule for a tool without a grammar of its own: a path, a host or a command, whichever its effects have. */
function matchOwn(content: string, scene: Scene): boolean {
  const path = compilePathRule(content, true, ruleBase(scene.context));
  const command = compileCommandRule(content, scene.context.backend.home);
  return scene.effects.some((effect, index) => {
    if (effect.kind === "execute") return commandFires(command, effect);
    if (effect.kind === "connect") {
      return effect.host !== undefined && hostMatches(content, hostName(effect.host), true);
    }
    const place = scene.places[index];
    return place !== undefined && "path" in effect && reachesPlace(path, place, reachOf(effect));
  });
}
