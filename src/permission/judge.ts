import type { PermissionDecision } from "../decision.ts";
import type { Effect } from "../effect.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { PermissionContext } from "../tool.ts";
import { MODES } from "./mode.ts";
import { isIdle, notPlainEdit } from "./plain-edit.ts";
import { removalDanger } from "./removal.ts";
import type { Scene } from "./scene.ts";
import { sensitivityOf } from "./sensitive.ts";
import { fullScene } from "./twins.ts";
import { describeFrom } from "./words.ts";

/**
 * What effects alone say of a call, before any rule: a safety ask, an allow for reading only or for plain edits that the mode
 * accepts, else `passthrough`.
 */
export function judgeEffects(
  effects: readonly Effect[],
  context: PermissionContext,
): MaybePromise<PermissionDecision> {
  const scene = fullScene(effects, context);
  return scene instanceof Promise ? scene.then(judgeScene) : judgeScene(scene);
}

/** {@link judgeEffects} on places that are already resolved. */
export function judgeScene(scene: Scene): PermissionDecision {
  const { effects } = scene;
  let secret: PermissionDecision | undefined;
  let harmless = true;
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index];
    if (effect === undefined) continue;
    const danger = dangerOf(effect, index, scene);
    if (danger !== undefined) return safetyAsk(scene, effect, danger, true);
    secret ??= secretAsk(effect, index, scene);
    harmless &&= isIdle(effect, index, scene);
  }
  if (secret !== undefined) return secret;
  if (harmless) return readOnlyAllow(scene);
  return judgeEdits(scene);
}

/** Why no allow rule may silence this effect, or `undefined`. */
export function dangerOf(effect: Effect, index: number, scene: Scene): string | undefined {
  if (effect.danger !== undefined) return effect.danger;
  const place = scene.places[index];
  const removal = removalDanger(effect, place, scene);
  if (removal !== undefined) return removal;
  if ((effect.kind !== "write" && effect.kind !== "delete") || place === undefined) return undefined;
  const sensitive = sensitivityOf(place, effect, scene);
  return sensitive === undefined ? undefined : `It ${describeFrom(effect, scene)}: ${sensitive.what}.`;
}

/** What secret an effect reads, in words, or `undefined`. */
export function secretOf(effect: Effect, index: number, scene: Scene): string | undefined {
  const place = scene.places[index];
  if (effect.kind !== "read" || place === undefined) return undefined;
  const sensitive = sensitivityOf(place, effect, scene);
  return sensitive?.is === "secret" ? sensitive.what : undefined;
}

function secretAsk(effect: Effect, index: number, scene: Scene): PermissionDecision | undefined {
  const what = secretOf(effect, index, scene);
  if (what === undefined) return undefined;
  return safetyAsk(scene, effect, `It ${describeFrom(effect, scene)}: ${what}.`, false);
}

function safetyAsk(scene: Scene, effect: Effect, why: string, bypassImmune: boolean): PermissionDecision {
  const detail = sentence(why);
  return {
    behavior: "ask",
    message: `Safety check: ${detail}`,
    reason: { step: "safety", detail, effect, ...(effect.span === undefined ? {} : { span: effect.span }) },
    bypassImmune,
    readOnly: false,
    effects: scene.effects,
  };
}

function readOnlyAllow(scene: Scene): PermissionDecision {
  return {
    behavior: "allow",
    message: "Allowed: it only reads.",
    reason: { step: "read-only", detail: "Every part of it only reads." },
    readOnly: true,
    effects: scene.effects,
  };
}

function judgeEdits(scene: Scene): PermissionDecision {
  const { effects, context } = scene;
  const obstacle = notPlainEdit(scene);
  if (obstacle === undefined && MODES[context.mode].acceptEdits) {
    return {
      behavior: "allow",
      message: `Allowed: plain edits inside the working directories (${context.mode} mode).`,
      reason: {
        step: "mode",
        detail: "It only makes, changes or removes files inside the working directories.",
      },
      readOnly: false,
      effects,
    };
  }
  const effect = obstacle ?? effects.find((candidate, index) => !isIdle(candidate, index, scene));
  const asks = MODES[context.mode].fallback === "ask";
  const accepted = asks && obstacle === undefined ? ", which acceptEdits mode would accept" : "";
  const detail =
    effect === undefined ? "Nothing speaks for it." : `It ${describeFrom(effect, scene)}${accepted}.`;
  return {
    behavior: "passthrough",
    message: detail,
    reason: {
      step: "tool",
      detail,
      ...(effect === undefined ? {} : { effect }),
      ...(effect?.span === undefined ? {} : { span: effect.span }),
    },
    readOnly: false,
    effects,
  };
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
