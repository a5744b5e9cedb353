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
 * Whether a tool may show what a file holds without a question: no deny or ask rule speaks about it, and it is no secret that
 * nobody opened. For tools that read many files at once and leave out the rest.
 */
export function mayRead(toolName: string, path: string, context: PermissionContext): MaybePromise<boolean> {
  const scene = fullScene([{ kind: "read", path }], context);
  return after(scene, (ready) => readable(toolName, ready));
}

function readable(toolName: string, scene: Scene): boolean {
  const { deny, ask, allow } = ruleSetOf(scene.context).groups;
  if (firstFiring(deny, toolName, scene) !== undefined || firstFiring(ask, toolName, scene) !== undefined)
    return false;
  if (judgeScene(scene).readOnly === true) return true;
  return MODES[scene.context.mode].allowRules && coverage(allow, toolName, scene, undefined).covered;
}
