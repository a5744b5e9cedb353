import type { Effect } from "../effect.ts";
import type { PermissionRule } from "../rule.ts";
import type { PermissionContext } from "../tool.ts";
import { hostName } from "./host-name.ts";
import { secretOf } from "./judge.ts";
import { isIdle } from "./plain-edit.ts";
import { formatRule } from "./rule-text.ts";
import { isInside, lexicalScene, type Scene } from "./scene.ts";
import { commandContents } from "./suggest-command.ts";
import { pathContents } from "./suggest-path.ts";
import { subjectOf } from "./tool-name.ts";

/** Rules that might cover one part of a call, narrowest first. */
type Need = readonly PermissionRule[];

/** Rules that might settle a call with these effects, narrowest first. Candidates: `proveSuggestions` tells which do. */
export function suggestRules(
  toolName: string,
  effects: readonly Effect[],
  context: PermissionContext,
): readonly PermissionRule[] {
  const needs = needsOf(toolName, lexicalScene(effects, context));
  const deepest = Math.max(0, ...needs.map((need) => need.length));
  const levels = Array.from({ length: deepest }, (_, level) => needs.flatMap((need) => need[level] ?? []));
  return distinct(levels.flat());
}

/** For each part of a call that isn't harmless, the rules that might cover it, narrowest first. */
export function needsOf(toolName: string, scene: Scene): readonly Need[] {
  const needs: Need[] = [];
  const parts = new Set<number>();
  for (const [index, effect] of scene.effects.entries()) {
    if (secretOf(effect, index, scene) !== undefined) needs.push(secretNeed(toolName, scene, effect, index));
    else if (isIdle(effect, index, scene)) continue;
    else if (isPlainRedirect(effect, index, scene)) needs.push(changeNeed("Edit", scene, index));
    else if (effect.part === undefined || !parts.has(effect.part)) {
      if (effect.part !== undefined) parts.add(effect.part);
      needs.push(...partNeeds(toolName, scene, effect, index));
    }
  }
  return needs.filter((need, index) => needs.findIndex((other) => textOf(other) === textOf(need)) === index);
}

/** Every rule once, by what it says. */
export function distinct(rules: readonly PermissionRule[]): readonly PermissionRule[] {
  const known = new Set<string>();
  return rules.filter((rule) => {
    const text = formatRule(rule);
    if (known.has(text)) return false;
    known.add(text);
    return true;
  });
}

function partNeeds(toolName: string, scene: Scene, effect: Effect, index: number): readonly Need[] {
  const runs = scene.effects
    .filter((other) => other.kind === "execute")
    .filter((run) => run.part === effect.part);
  if (runs.length > 0) {
    const wanted = runs.filter((run) => run.opaque || (run.wrappers?.length ?? 0) > 0);
    return (wanted.length > 0 ? wanted : runs.slice(0, 1)).map((run) =>
      commandContents(run).map((content) => allow(toolName, content)),
    );
  }
  if (effect.kind === "write") return [changeNeed(toolName, scene, index)];
  if (effect.kind === "connect" && effect.host !== undefined) {
    return [[allow(toolName, `domain:${hostName(effect.host)}`)]];
  }
  // What no program of the command is to blame for would take a rule for every command; that is never offered.
  return subjectOf(toolName, "") === "command" ? [[]] : [[allow(toolName, null)]];
}

function changeNeed(toolName: string, scene: Scene, index: number): Need {
  const place = scene.places[index];
  if (place === undefined) return [];
  const name = toolName === "Write" ? "Write" : "Edit";
  return pathContents(place.lexical, scene.context).map((content) => allow(name, content));
}

function secretNeed(toolName: string, scene: Scene, effect: Effect, index: number): Need {
  const rules: PermissionRule[] = [];
  for (const other of scene.effects) {
    if (other.kind !== "execute" || other.part !== effect.part) continue;
    const [exact] = commandContents(other);
    if (exact !== undefined && !exact.endsWith(":*")) rules.push(allow(toolName, exact));
  }
  const place = scene.places[index];
  const [file] = place === undefined ? [] : pathContents(place.lexical, scene.context);
  if (file !== undefined) rules.push(allow("Read", file));
  return rules;
}

/** A redirection that a rule about its target says more about than one about the command: outside, or behind a command that only reads. */
function isPlainRedirect(effect: Effect, index: number, scene: Scene): boolean {
  const place = scene.places[index];
  if (effect.kind !== "write" || effect.redirect !== true || place === undefined) return false;
  if (!isInside(place, scene.roots)) return true;
  return scene.effects.every(
    (other, at) =>
      other.part !== effect.part ||
      (other.kind === "write" && other.redirect === true) ||
      isIdle(other, at, scene),
  );
}

function textOf(need: Need): string {
  return need.map(formatRule).join("\n");
}

function allow(toolName: string, ruleContent: string | null): PermissionRule {
  return { toolName, ruleContent, behavior: "allow", source: "suggested" };
}
