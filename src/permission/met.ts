import type { Effect } from "../effect.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { PermissionContext, Tool } from "../tool.ts";
import { canonicalPath } from "./canonical.ts";
import { linksBelow } from "./links-below.ts";
import { type Match, matched } from "./matched.ts";
import { ruleSetOf } from "./rule-set.ts";
import { lexicalScene, type PathEffect } from "./scene.ts";
import { Scout, TooFar } from "./scout.ts";
import { pathSensitivity } from "./sensitive.ts";

/**
 * Adds what is met on the way: what the links lead to that a command goes through, and what of the files that a pattern stands for is
 * a link or sensitive. Looks at the place for that, within bounds; past them it adds that it can't be told. Nothing is looked at
 * for effects that say all by themselves.
 */
export function withMet(
  tool: Tool,
  effects: readonly Effect[],
  context: PermissionContext,
): MaybePromise<readonly Effect[]> {
  const open = effects.filter((effect) => isOpen(effect, context.cwd));
  if (open.length === 0) return effects;
  // Names alone are no secret: they matter where a rule keeps them, or a tool has to stay where it is.
  const namesMatter = tool.outsideWorkspace !== undefined || hasReadRules(context);
  const looked = namesMatter ? open : open.filter(({ kind }) => kind !== "list");
  return looked.length === 0 ? effects : lookAround(effects, looked, context);
}

function isOpen(effect: Effect, cwd: string): effect is PathEffect {
  if (!("path" in effect) || effect.filtered === true) return false;
  if (effect.dynamic === true) return isBegun(effect, cwd);
  if (effect.kind === "write" && effect.into !== undefined) return true;
  if (effect.followsLinks !== undefined && effect.recursive === true) return true;
  if (effect.pattern !== true || effect.skipsLinks === true) return false;
  // What is removed is the link itself; and what a search finds, it has chosen.
  return effect.kind !== "delete" || effect.followsLinks !== undefined || !effect.path.includes("**");
}

/** Of a path that isn't known the beginning is: what lies there may be a link. */
function isBegun({ path, repository }: PathEffect, cwd: string): boolean {
  return path !== "/" && path !== cwd && repository === undefined;
}

function hasReadRules(context: PermissionContext): boolean {
  const { deny, ask } = ruleSetOf(context).groups;
  return deny.reads.length > 0 || ask.reads.length > 0;
}

async function lookAround(
  effects: readonly Effect[],
  looked: readonly PathEffect[],
  context: PermissionContext,
): Promise<readonly Effect[]> {
  const scout = new Scout(context.backend);
  const added = new Map<string, Effect>();
  const met = await Promise.all(looked.map((effect) => metBy(effect, scout, context)));
  for (const one of met.flat()) added.set(`${one.kind} ${one.part} ${"path" in one ? one.path : ""}`, one);
  return [...effects, ...added.values()];
}

async function metBy(
  effect: PathEffect,
  scout: Scout,
  context: PermissionContext,
): Promise<readonly Effect[]> {
  try {
    const found = [...(await metBelow(effect, scout)), ...(await metAmong(effect, scout, context))];
    if (found.length === 0) return [];
    const targets = await scout.real(found.map(({ path }) => path));
    return found.map((match, at) => behind(effect, match, targets[at]));
  } catch (error) {
    if (error instanceof TooFar) return doubts(effect);
    throw error;
  }
}

async function metBelow(effect: PathEffect, scout: Scout): Promise<readonly Match[]> {
  const { path, followsLinks: follows, recursive, pattern, skipsHidden = false } = effect;
  const goesThrough = follows !== undefined && recursive === true && pattern !== true;
  if (!goesThrough && effect.dynamic !== true) return [];
  const links = await linksBelow(path, scout, { follows, skipsHidden });
  return links.map((link) => ({ path: link.path, linked: true, recursive: true }));
}

async function metAmong(
  effect: PathEffect,
  scout: Scout,
  context: PermissionContext,
): Promise<readonly Match[]> {
  const { followsLinks: follows, skipsHidden = false } = effect;
  const how = { scout, manner: { follows, skipsHidden }, tells: interestOf(effect, context) };
  const into = effect.kind === "write" ? (effect.into ?? []) : [];
  const patterns = into.map((name) => `${effect.path}/${name}`);
  if (effect.pattern === true && effect.skipsLinks !== true) patterns.push(effect.path);
  const found: Match[] = [];
  for (const pattern of patterns) found.push(...(await matched(pattern, how)));
  // What is removed is the link, unless links are gone through.
  return effect.kind === "delete" && follows === undefined ? found.filter(({ linked }) => !linked) : found;
}

/** Which names are worth a word: secrets for who reads, whatever is protected for who changes. */
function interestOf({ kind }: PathEffect, context: PermissionContext): (path: string) => boolean {
  const scene = lexicalScene([], context);
  if (kind === "list") return () => false;
  return (path) => {
    const found = pathSensitivity(canonicalPath(path, context.backend, context.cwd), {}, scene);
    return found !== undefined && (kind !== "read" || found.is === "secret");
  };
}

/** The effect on one of the paths it was found to reach. */
function behind(effect: PathEffect, match: Match, target: string | undefined): Effect {
  const {
    pattern: _pattern,
    followsLinks: _follows,
    skipsHidden: _hidden,
    dynamic: _dynamic,
    ...rest
  } = effect;
  const shape = {
    ...(match.recursive || effect.recursive === true ? { recursive: true } : {}),
    ...(match.linked && target !== undefined ? { leadsTo: target } : {}),
  };
  if (rest.kind === "write") {
    const { into: _into, ...write } = rest;
    return { ...write, path: match.path, ...shape };
  }
  // A slash at the end says that the removal goes through.
  if (rest.kind === "delete" && match.linked)
    return { ...rest, path: `${match.path}/`, ...shape, recursive: true };
  return { ...rest, path: match.path, ...shape };
}

const WHY = "it goes through links, to a path that isn't known: there is too much to be looked through";

/** That it can't be told what is reached. A search that only hands on what it finds is left to the rules about what is read. */
function doubts({ kind, part, span, followsLinks }: PathEffect): readonly Effect[] {
  const base = { ...(part === undefined ? {} : { part }), ...(span === undefined ? {} : { span }) };
  const unknown: Effect = { kind: "unknown", why: WHY, ...base };
  if (kind === "write" || kind === "delete") return [unknown];
  const anywhere: Effect = { kind: "read", path: "/", dynamic: true, ...base };
  return followsLinks === undefined ? [anywhere] : [anywhere, unknown];
}
