import type { Effect } from "../effect.ts";
import { commandFires, programName } from "./command-rule.ts";
import { hostName } from "./host-name.ts";
import { isFloating, type PathPattern, patternReaches } from "./path-pattern.ts";
import type { PathRule } from "./path-rule.ts";
import type { Ready, RuleGroup } from "./rule-set.ts";
import type { PathEffect, Place, Scene } from "./scene.ts";
import { namesTool } from "./tool-name.ts";

/** A deny or ask rule that speaks about a call, and the effect it speaks about, if any. */
export interface Fired {
  readonly ready: Ready<unknown>;
  readonly effect?: Effect;
}

/** The first rule that names the tool without more, whatever the call does. */
export function toolRule(group: RuleGroup, toolName: string): Fired | undefined {
  for (const ready of group.tools) if (namesTool(ready.tool, toolName)) return { ready };
  return undefined;
}

/** The first deny or ask rule that speaks about any of the effects, in any form. */
export function firstFiring(group: RuleGroup, toolName: string, scene: Scene): Fired | undefined {
  if (group.size === 0) return undefined;
  const { effects, places } = scene;
  for (let index = 0; index < effects.length; index += 1) {
    const effect = effects[index];
    if (effect === undefined) continue;
    const ready = effectRule(group, toolName, effect, places[index]);
    if (ready !== undefined) return { ready, effect };
  }
  return undefined;
}

/** A read whose path isn't known before it runs, and the rule about a path that it may turn out to be. */
export function firstUnknown(group: RuleGroup, scene: Scene): Fired | undefined {
  if (group.reads.length === 0) return undefined;
  for (const [index, effect] of scene.effects.entries()) {
    const place = scene.places[index];
    if (effect.kind !== "read" || effect.dynamic !== true || place === undefined) continue;
    // Without a known beginning it may be an absolute path as well; what git keeps lies in its repository.
    const anywhere = place.lexical === scene.cwd && effect.repository === undefined;
    const from = anywhere ? { lexical: "/", real: "/" } : place;
    const ready = group.reads.find(({ test }) =>
      reachesPlace(test, from, { recursive: true, pattern: false }),
    );
    if (ready !== undefined) return { ready, effect };
  }
  return undefined;
}

function effectRule(
  group: RuleGroup,
  toolName: string,
  effect: Effect,
  place: Place | undefined,
): Ready<unknown> | undefined {
  if (effect.kind === "execute") return commandRule(group, effect);
  if (effect.kind === "connect") return hostRule(group, effect.host);
  if (place === undefined || !("path" in effect)) return undefined;
  // Of what git keeps it isn't known what is shown, but whose it is.
  if (effect.dynamic === true) return effect.repository === undefined ? undefined : ownRule(group, place);
  return pathRule(group, toolName, effect, place);
}

function pathRule(
  group: RuleGroup,
  toolName: string,
  effect: PathEffect,
  place: Place,
): Ready<unknown> | undefined {
  const target = reachOf(effect);
  const changes = effect.kind === "write" || effect.kind === "delete";
  for (const ready of changes ? group.writes : group.reads) {
    if (reachesPlace(ready.test, place, target)) return ready;
  }
  for (const ready of group.searches) {
    if (namesTool(ready.tool, toolName) && reachesPlace(ready.test, place, target)) return ready;
  }
  return undefined;
}

/** The rule about a place itself, whatever is in it. */
function ownRule(group: RuleGroup, { contents: _contents, ...place }: Place): Ready<unknown> | undefined {
  return group.reads.find(({ test }) => reachesPlace(test, place, ITSELF));
}

const ITSELF = { recursive: false, pattern: false } as const;

/** Whether a path rule reaches a place in any of its spellings. */
export function reachesPlace(rule: PathRule, place: Place, target: Reach): boolean {
  const { contents } = place;
  for (const pattern of rule.patterns) {
    const isKnown = contents !== undefined && (contents.whole === true || isFloating(pattern));
    if (reachesSpelling(pattern, place, isKnown ? ITSELF : target)) return true;
    if (isKnown && contents.found.some((path) => patternReaches(pattern, path, ITSELF))) return true;
  }
  return false;
}

interface Reach {
  readonly recursive: boolean;
  readonly pattern: boolean;
}

function reachesSpelling(
  pattern: PathPattern,
  { lexical, real, twin, fromTop }: Place,
  target: Reach,
): boolean {
  if (patternReaches(pattern, lexical, target)) return true;
  if (real !== undefined && real !== lexical && patternReaches(pattern, real, target)) return true;
  if (twin !== undefined && patternReaches(pattern, twin, target)) return true;
  return fromTop !== undefined && patternReaches(pattern, fromTop, target);
}

/**
 * How far an effect reaches for a deny or ask rule. Names are learned one directory at a time, so listing a parent is not yet reading
 * what a rule protects; a removal takes what lies below, however it is done.
 */
export function reachOf(effect: PathEffect): Reach {
  const deep = effect.kind === "delete" || (effect.recursive === true && effect.kind !== "list");
  return { recursive: deep && effect.filtered !== true, pattern: effect.pattern === true };
}

function commandRule(
  group: RuleGroup,
  effect: Extract<Effect, { kind: "execute" }>,
): Ready<unknown> | undefined {
  for (const name of [effect.argv[0] ?? effect.program, ...(effect.wrappers ?? [])]) {
    for (const ready of group.commands.get(programName(name).toLowerCase()) ?? []) {
      if (commandFires(ready.test, effect)) return ready;
    }
  }
  for (const ready of group.anyCommands) if (commandFires(ready.test, effect)) return ready;
  return undefined;
}

function hostRule(group: RuleGroup, host: string | undefined): Ready<unknown> | undefined {
  if (host === undefined) return undefined;
  const name = hostName(host);
  return group.domains.find(({ test }) => hostMatches(test, name, true));
}

/** Whether a host is the rule's; for deny and ask rules (`wide`) its subdomains are too, for allow only with `*.`. */
export function hostMatches(rule: string, host: string, wide: boolean): boolean {
  if (rule === "*") return true;
  if (rule.startsWith("*.")) return host.endsWith(rule.slice(1)) || (wide && host === rule.slice(2));
  return host === rule || (wide && host.endsWith(`.${rule}`));
}
