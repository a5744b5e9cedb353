import type { Backend, DirectoryEntry } from "../backend.ts";
import { isToolgateError } from "../errors.ts";
import type { MaybePromise } from "../lib/json.ts";
import { canonicalPath } from "./canonical.ts";
import { isFloating, type PathPattern, patternReaches } from "./path-pattern.ts";
import { isKept, withRepositories } from "./repository.ts";
import { type RuleGroup, ruleSetOf } from "./rule-set.ts";
import type { PathEffect, Place, Scene } from "./scene.ts";

const MOST_DIRECTORIES = 5_000;
const MOST_MS = 250;
const AT_ONCE = 32;
const ITSELF = { recursive: false } as const;

/**
 * Looks into directories that are read in depth, where a deny or ask rule is about a name at any depth (`Read(.env)`): the rule speaks
 * about such a read only when there is such a name. What is too large to be looked through stays unknown, and the rule then speaks.
 */
export function withContents(scene: Scene): MaybePromise<Scene> {
  const { deny, ask } = ruleSetOf(scene.context).groups;
  if (deny.reads.length === 0 && ask.reads.length === 0) return scene;
  if (scene.effects.some(isKept)) {
    const all = [...deny.reads, ...ask.reads].flatMap(({ test }) => test.patterns);
    return withRepositories(scene, all).then(withFolders);
  }
  return withFolders(scene);
}

function withFolders(scene: Scene): MaybePromise<Scene> {
  const { deny, ask } = ruleSetOf(scene.context).groups;
  const deep = scene.effects.map((effect) => isDeepRead(effect));
  if (!deep.includes(true)) return scene;
  const patterns = [...floating(deny), ...floating(ask)];
  return patterns.length === 0 ? scene : lookInto(scene, patterns);
}

function floating(group: RuleGroup): readonly PathPattern[] {
  return group.reads.flatMap(({ test }) => test.patterns.filter(isFloating));
}

function isDeepRead(effect: Scene["effects"][number]): effect is PathEffect {
  if (effect.kind !== "read" || effect.recursive !== true || isKept(effect)) return false;
  return effect.filtered !== true && effect.pattern !== true && effect.dynamic !== true;
}

async function lookInto(scene: Scene, patterns: readonly PathPattern[]): Promise<Scene> {
  const deadline = performance.now() + MOST_MS;
  const places: (Place | undefined)[] = [];
  for (const [index, effect] of scene.effects.entries()) {
    const place = scene.places[index];
    if (place?.real === undefined || !isDeepRead(effect)) places.push(place);
    else {
      const contents = await walk(scene, { effect, root: place.real, patterns, deadline });
      places.push(contents === undefined ? place : { ...place, contents });
    }
  }
  return { ...scene, places };
}

interface Search {
  readonly effect: PathEffect;
  readonly root: string;
  readonly patterns: readonly PathPattern[];
  /** By `performance.now()`. */
  readonly deadline: number;
}

/** `undefined` when there is too much, or something can't be looked at. */
async function walk(scene: Scene, search: Search): Promise<Place["contents"]> {
  const { backend } = scene.context;
  const found: string[] = [];
  let open = [search.root];
  let seen = 0;
  while (open.length > 0) {
    const folders = open.slice(0, AT_ONCE);
    seen += folders.length;
    if (seen > MOST_DIRECTORIES || performance.now() > search.deadline) return undefined;
    const lists = await Promise.all(folders.map((folder) => entriesIn(backend, folder)));
    if (lists.includes(undefined)) return undefined;
    const entries = lists.flatMap((list) => list ?? []).filter((entry) => isSearched(entry, search.effect));
    const named = entries.filter((entry) => isNamed(entry, search.patterns, scene));
    found.push(...named.map(({ path }) => canonicalOf(path, scene)));
    const deeper = entries.filter((entry) => entry.kind === "directory" && !named.includes(entry));
    open = [...open.slice(AT_ONCE), ...deeper.map(({ path }) => path)];
  }
  return { found };
}

interface Entry extends DirectoryEntry {
  readonly path: string;
}

function isSearched({ name }: Entry, effect: PathEffect): boolean {
  return effect.skipsHidden !== true || !name.startsWith(".");
}

function isNamed({ path }: Entry, patterns: readonly PathPattern[], scene: Scene): boolean {
  const canonical = canonicalOf(path, scene);
  return patterns.some((pattern) => patternReaches(pattern, canonical, ITSELF));
}

function canonicalOf(path: string, { context }: Scene): string {
  return canonicalPath(path, context.backend, context.cwd);
}

/** A file has no entries; what may not be looked at stays unknown. */
async function entriesIn(backend: Backend, folder: string): Promise<readonly Entry[] | undefined> {
  const start = folder === "/" ? "" : folder;
  try {
    return (await backend.list(folder)).map((entry) => ({ ...entry, path: `${start}/${entry.name}` }));
  } catch (error) {
    return isToolgateError(error, "not_found") || isToolgateError(error, "not_a_directory") ? [] : undefined;
  }
}
