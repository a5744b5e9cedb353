import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { PermissionContext } from "../tool.ts";
import { coverage } from "./covers.ts";
import { firstFiring } from "./fires.ts";
import { judgeScene } from "./judge.ts";
import { MODES } from "./mode.ts";
import { ruleSetOf } from "./rule-set.ts";
import type { Scene } from "./scene.ts";
import { fullScene } from "./twins.ts";

/**
 * Whether a tool may show what files hold without a question, each by itself: no deny or ask rule speaks about it, and it is no
 * secret that nobody opened. For tools that read many files at once and leave out the rest.
 */
export function mayRead(
  toolName: string,
  paths: readonly string[],
  context: PermissionContext,
): MaybePromise<readonly boolean[]> {
  if (paths.length === 0) return [];
  const scene = fullScene(
    paths.map((path) => ({ kind: "read", path })),
    context,
  );
  return after(scene, (all) =>
    all.effects.map((effect, index) =>
      readable(toolName, { ...all, effects: [effect], places: [all.places[index]] }),
    ),
  );
}

function readable(toolName: string, scene: Scene): boolean {
  // Nobody knows what it is: a loop, or a place that can't be asked any more.
  if (scene.places[0]?.real === undefined) return false;
  const { deny, ask, allow } = ruleSetOf(scene.context).groups;
  if (firstFiring(deny, toolName, scene) !== undefined || firstFiring(ask, toolName, scene) !== undefined)
    return false;
  if (judgeScene(scene).readOnly === true) return true;
  return MODES[scene.context.mode].allowRules && coverage(allow, toolName, scene, undefined).covered;
}
