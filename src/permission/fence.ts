import type { PermissionDecision } from "../decision.ts";
import type { Effect } from "../effect.ts";
import type { Tool } from "../tool.ts";
import { canonicalPath, isWithin, parentOf } from "./canonical.ts";
import { isGlob } from "./glob-regex.ts";
import { isIdle } from "./plain-edit.ts";
import { isInside, type Place, type Scene } from "./scene.ts";
import { describeFrom } from "./words.ts";

/** An effect that reaches out of the working directories, or may. */
interface Outside {
  readonly effect: Effect;
  readonly place: Place;
  readonly certain: boolean;
}

/** The verdict on a call that leaves the working directories, of a tool that never does; `undefined` for all others. */
export function refuseOutside(tool: Tool, scene: Scene | undefined): PermissionDecision | undefined {
  if (tool.outsideWorkspace !== "deny" || scene === undefined) return undefined;
  const outside = firstOutside(scene);
  return outside?.certain === true
    ? refusedByTool(outsideText(tool, outside, scene), scene, outside.effect)
    : undefined;
}

/** The tool's own no, which nothing loosens. */
export function refusedByTool(why: string, scene: Scene | undefined, effect?: Effect): PermissionDecision {
  return {
    behavior: "deny",
    message: why,
    reason: {
      step: "tool",
      detail: why,
      ...(effect === undefined ? {} : { effect }),
      ...(effect?.span === undefined ? {} : { span: effect.span }),
    },
    readOnly: false,
    ...(scene === undefined ? {} : { effects: scene.effects }),
  };
}

/** For tools that keep to the working directories: a question no rule silences where a call leaves them, or can't be told not to. */
export function askOutside(tool: Tool, scene: Scene, judged: PermissionDecision): PermissionDecision {
  if (tool.outsideWorkspace === undefined || judged.bypassImmune === true) return judged;
  const outside = firstOutside(scene);
  if (outside === undefined) return judged;
  const { effect } = outside;
  const detail = outsideText(tool, outside, scene);
  return {
    behavior: "ask",
    message: `Safety check: ${detail}`,
    reason: { step: "safety", detail, effect, ...(effect.span === undefined ? {} : { span: effect.span }) },
    bypassImmune: true,
    readOnly: false,
    effects: scene.effects,
  };
}

/** The first effect that is certainly outside, else the first that may be. */
function firstOutside(scene: Scene): Outside | undefined {
  let doubtful: Outside | undefined;
  for (const [index, effect] of scene.effects.entries()) {
    const place = scene.places[index];
    if (place === undefined || !("path" in effect) || isNowhere(effect, index, scene, place)) continue;
    if (effect.dynamic === true && effect.repository === undefined)
      doubtful ??= { effect, place, certain: false };
    else if (!isInside(place, scene.roots)) return { effect, place, certain: true };
    // A pattern before the last component may go through a link that leads elsewhere.
    else if (effect.pattern === true && isGlob(parentOf(place.lexical)))
      doubtful ??= { effect, place, certain: false };
  }
  return doubtful;
}

/** Written where nothing is kept, or read where only toolgate itself writes: long answers are kept there to be read on. */
function isNowhere(effect: Effect, index: number, scene: Scene, { lexical, real }: Place): boolean {
  if (effect.kind === "write") return isIdle(effect, index, scene);
  if (effect.kind !== "read" && effect.kind !== "list") return false;
  const { backend, cwd } = scene.context;
  const scratch = canonicalPath(backend.scratch, backend, cwd);
  return isWithin(lexical, scratch) && real !== undefined && (real === lexical || isWithin(real, scratch));
}

function outsideText(tool: Tool, { effect, place, certain }: Outside, scene: Scene): string {
  const [root = scene.cwd] = scene.roots;
  const said = describeFrom(effect, { cwd: root, home: scene.home, longestPath: 0 });
  if (!certain)
    return `${tool.name} stays inside the workspace ${root}, and it can't be told whether this call does: it ${said}.`;
  return `${tool.name} stays inside the workspace ${root}, and this call ${said}, ${whereTo(place, scene)}.`;
}

/** What looks inside by its name is told by where it leads. */
function whereTo({ lexical, real }: Place, { roots }: Scene): string {
  if (!roots.some((root) => isWithin(lexical, root))) return "which is outside";
  return real === undefined ? "which can't be told to be inside" : `which leads to ${real}, outside`;
}
