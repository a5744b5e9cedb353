import type { Effect, ExecuteEffect } from "../effect.ts";
import { baseOf } from "./canonical.ts";
import { type CommandRule, commandCovers, programName } from "./command-rule.ts";
import { hostMatches, toolRule } from "./fires.ts";
import { hostName } from "./host-name.ts";
import { dangerOf, secretOf } from "./judge.ts";
import { MODES } from "./mode.ts";
import { patternContains, type Target } from "./path-pattern.ts";
import type { PathRule } from "./path-rule.ts";
import { isIdle, isPlainEdit } from "./plain-edit.ts";
import type { Ready, RuleGroup } from "./rule-set.ts";
import { isInside, type Place, type Scene } from "./scene.ts";
import { fileSensitivity, pathSensitivity } from "./sensitive.ts";
import { namesTool } from "./tool-name.ts";

/** Either all that a call does is covered, by these rules, or the first effect that isn't. */
export type Coverage =
  | { readonly covered: true; readonly rules: readonly Ready<unknown>[] }
  | { readonly covered: false; readonly effect?: Effect };

/**
 * Whether allow rules settle a call: every effect must be harmless or covered. `whole` is a rule that the tool itself
 * recognised as being about this call. Dangers, protected paths and unnamed secrets are never covered.
 */
export function coverage(
  group: RuleGroup,
  toolName: string,
  scene: Scene,
  whole: Ready<unknown> | undefined,
): Coverage {
  const general = toolRule(group, toolName)?.ready ?? whole;
  const used = new Set<Ready<unknown>>();
  for (const [index, effect] of scene.effects.entries()) {
    const rule = coverOne(group, toolName, scene, effect, index, general);
    if (rule === "uncovered") return { covered: false, effect };
    if (rule !== "harmless") used.add(rule);
  }
  if (used.size > 0) return { covered: true, rules: [...used] };
  const about = general ?? ruleAbout(group, toolName, scene);
  return about === undefined ? { covered: false } : { covered: true, rules: [about] };
}

function coverOne(
  group: RuleGroup,
  toolName: string,
  scene: Scene,
  effect: Effect,
  index: number,
  general: Ready<unknown> | undefined,
): Ready<unknown> | "harmless" | "uncovered" {
  if (dangerOf(effect, index, scene) !== undefined) return "uncovered";
  if (secretOf(effect, index, scene) !== undefined) {
    return secretRule(group, toolName, scene, effect, index) ?? "uncovered";
  }
  if (isIdle(effect, index, scene)) return "harmless";
  // What the mode accepts by itself it accepts beside what a rule allows.
  if (MODES[scene.context.mode].acceptEdits && isPlainEdit(effect, index, scene)) return "harmless";
  return general ?? effectRule(group, toolName, scene, effect, index) ?? "uncovered";
}

function effectRule(
  group: RuleGroup,
  toolName: string,
  scene: Scene,
  effect: Effect,
  index: number,
): Ready<unknown> | undefined {
  if (effect.kind === "execute") return commandRule(group, toolName, effect);
  const place = scene.places[index];
  if (effect.kind === "write" && place !== undefined) {
    const path = group.writes.find(({ test }) => containsPlace(test, place, effect));
    if (path !== undefined) return path;
    if (effect.redirect === true && !isInside(place, scene.roots)) return undefined;
  }
  if (effect.kind === "connect" && effect.host !== undefined) {
    const host = hostName(effect.host);
    const domain = group.domains.find(
      (ready) => namesTool(ready.tool, toolName) && hostMatches(ready.test, host, false),
    );
    if (domain !== undefined) return domain;
  }
  return partRule(group, toolName, scene, effect);
}

/** The rule for the programs of an effect's part: all that are run by another, or may do anything, must be covered. */
function partRule(
  group: RuleGroup,
  toolName: string,
  scene: Scene,
  effect: Effect,
): Ready<unknown> | undefined {
  let found: Ready<unknown> | undefined;
  for (const other of scene.effects) {
    if (other.kind !== "execute" || other.part !== effect.part) continue;
    const rule = commandRule(group, toolName, other);
    if (rule === undefined && (other.opaque || (other.wrappers?.length ?? 0) > 0)) return undefined;
    found ??= rule;
  }
  return found;
}

function commandRule(
  group: RuleGroup,
  toolName: string,
  effect: ExecuteEffect,
  accept: (rule: CommandRule) => boolean = () => true,
): Ready<unknown> | undefined {
  const covers = (ready: Ready<CommandRule>): boolean =>
    namesTool(ready.tool, toolName) && accept(ready.test) && commandCovers(ready.test, effect);
  for (const name of [effect.argv[0] ?? "", ...(effect.wrappers ?? [])]) {
    const found = group.commands.get(programName(name).toLowerCase())?.find(covers);
    if (found !== undefined) return found;
  }
  return group.anyCommands.find(covers);
}

/** A secret is opened only by a rule that names it: `Read(.env)`, `Read(~/.ssh/**)`, or the exact command. */
function secretRule(
  group: RuleGroup,
  toolName: string,
  scene: Scene,
  effect: Effect,
  index: number,
): Ready<unknown> | undefined {
  const place = scene.places[index];
  if (place === undefined || !("path" in effect)) return undefined;
  const searches = group.searches.filter((ready) => namesTool(ready.tool, toolName));
  for (const ready of [...group.reads, ...searches]) {
    if (containsPlace(ready.test, place, effect) && namesSecret(ready.test, scene)) return ready;
  }
  const exact = ({ pattern }: CommandRule): boolean => !pattern.prefix && !pattern.wild;
  for (const other of scene.effects) {
    if (other.kind !== "execute" || other.part !== effect.part) continue;
    const rule = commandRule(group, toolName, other, exact);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

function namesSecret(rule: PathRule, scene: Scene): boolean {
  return rule.patterns.every((pattern, index) => {
    const name = baseOf(rule.named[index] ?? "")
      .replaceAll("*", "")
      .toLowerCase();
    return (
      pathSensitivity(pattern.base, {}, scene)?.is === "secret" || fileSensitivity(name)?.is === "secret"
    );
  });
}

function containsPlace(rule: PathRule, place: Place, target: Target): boolean {
  const { lexical, real, twin = lexical } = place;
  if (real === undefined) return false;
  const contains = (path: string): boolean =>
    rule.patterns.some((pattern) => patternContains(pattern, path, target));
  return contains(lexical) && (real === lexical || contains(real)) && (twin === lexical || contains(twin));
}

/** A rule that is about some part of a call none of whose effects needs one: it answers a tool's own plain question. */
function ruleAbout(group: RuleGroup, toolName: string, scene: Scene): Ready<unknown> | undefined {
  for (const [index, effect] of scene.effects.entries()) {
    const place = scene.places[index];
    if (effect.kind === "execute") {
      const rule = commandRule(group, toolName, effect);
      if (rule !== undefined) return rule;
    }
    if (place === undefined || !("path" in effect)) continue;
    const list = effect.kind === "write" ? group.writes : [...group.reads, ...group.searches];
    const rule = list.find(
      (ready) => namesTool(ready.tool, toolName) && containsPlace(ready.test, place, effect),
    );
    if (rule !== undefined) return rule;
  }
  return undefined;
}
