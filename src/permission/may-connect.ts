import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { HostSay, PermissionContext } from "../tool.ts";
import { coverage } from "./covers.ts";
import { firstFiring } from "./fires.ts";
import { MODES } from "./mode.ts";
import { ruleSetOf } from "./rule-set.ts";
import type { Scene } from "./scene.ts";
import { fullScene } from "./twins.ts";

/** What rules and mode say of a host that wasn't known when the call was judged: where a redirect leads, what a page loads. */
export function mayConnect(
  toolName: string,
  host: string,
  context: PermissionContext,
): MaybePromise<HostSay> {
  return after(fullScene([{ kind: "connect", host }], context), (scene) => sayOf(toolName, scene));
}

function sayOf(toolName: string, scene: Scene): HostSay {
  const { deny, ask, allow } = ruleSetOf(scene.context).groups;
  if (firstFiring(deny, toolName, scene) !== undefined) return "refused";
  // Nobody can be asked in the middle of a call.
  if (firstFiring(ask, toolName, scene) !== undefined) return "refused";
  const mode = MODES[scene.context.mode];
  if (mode.allowRules && coverage(allow, toolName, scene, undefined).covered) return "allowed";
  return mode.fallback === "allow" ? "allowed" : "open";
}
