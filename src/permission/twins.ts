import type { Backend } from "../backend.ts";
import type { Effect } from "../effect.ts";
import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import { together } from "../lib/together.ts";
import type { PermissionContext } from "../tool.ts";
import { canonicalPath } from "./canonical.ts";
import { isGlob } from "./glob-regex.ts";
import { type RuleGroup, ruleSetOf } from "./rule-set.ts";
import { makeScene, type Scene } from "./scene.ts";
import { fileSensitivity } from "./sensitive.ts";
import { DIRECTORY_NAMES } from "./sensitive-names.ts";

/** How many files are compared at most; there are never nearly as many in the places where secrets lie. */
const MOST_FILES = 2_000;

/**
 * Like `makeScene`, and finds out whether a file with several names (hard links) is one of the sensitive ones under another name. No disk is
 * searched: only what lies in the home, the working directories, their directories of keys and settings, and where deny and ask rules point.
 * Waits only when a call is about a file that has several names.
 */
export function fullScene(effects: readonly Effect[], context: PermissionContext): MaybePromise<Scene> {
  return after(makeScene(effects, context), (scene) =>
    context.backend.fileId === undefined
      ? scene
      : after(idsOf(scene, context.backend), (ids) => withTwins(scene, ids)),
  );
}

/** The id of each effect's file that has several names. */
function idsOf(scene: Scene, backend: Backend): MaybePromise<readonly (string | undefined)[]> {
  return together(
    scene.effects.map((effect, index) => {
      if (!isOneFile(effect)) return undefined;
      return backend.resolveAll === undefined ? idAt(backend, effect.path) : scene.places[index]?.fileId;
    }),
  );
}

function isOneFile(effect: Effect): effect is Extract<Effect, { kind: "read" | "write" }> {
  if (effect.kind !== "read" && effect.kind !== "write") return false;
  return effect.pattern !== true && effect.recursive !== true && effect.dynamic !== true;
}

function idAt(backend: Backend, path: string): MaybePromise<string | undefined> {
  try {
    const id = backend.fileId?.(path);
    return id instanceof Promise ? id.catch(() => undefined) : id;
  } catch {
    return undefined;
  }
}

function withTwins(scene: Scene, ids: readonly (string | undefined)[]): MaybePromise<Scene> {
  const wanted = new Set(ids.filter((id) => id !== undefined));
  if (wanted.size === 0) return scene;
  return sensitiveFiles(scene, wanted).then((files) => ({
    ...scene,
    places: scene.places.map((place, index) => {
      const twin = files.get(ids[index] ?? "");
      return place === undefined || twin === undefined || twin === place.real ? place : { ...place, twin };
    }),
  }));
}

/** Sensitive files that have one of these ids. */
async function sensitiveFiles(
  scene: Scene,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const { backend, workingDirectories, cwd } = scene.context;
  const found = new Map<string, string>();
  const paths = new Set<string>();
  const bases = [...new Set([backend.home, ...workingDirectories])];
  for (const below of await Promise.all(bases.map((base) => sensitiveBelow(backend, base)))) {
    for (const path of below) paths.add(path);
  }
  const { deny, ask } = ruleSetOf(scene.context).groups;
  for (const path of await Promise.all(
    [...ruledFiles(deny), ...ruledFiles(ask)].map((at) => filesAt(backend, at)),
  )) {
    for (const file of path) paths.add(file);
  }
  const files = [...paths].slice(0, MOST_FILES);
  for (const [index, id] of (await idsAt(backend, files)).entries()) {
    if (id !== undefined && wanted.has(id)) found.set(id, canonicalPath(files[index] ?? "", backend, cwd));
  }
  return found;
}

async function idsAt(backend: Backend, paths: readonly string[]): Promise<readonly (string | undefined)[]> {
  if (backend.resolveAll === undefined) return Promise.all(paths.map((path) => idAt(backend, path)));
  return (await backend.resolveAll(paths)).map(({ fileId }) => fileId);
}

/** Files with sensitive names right in a directory, and what lies right in its directories of keys and settings. */
async function sensitiveBelow(backend: Backend, base: string): Promise<readonly string[]> {
  const names = await namesIn(backend, base);
  const known = new Set(names);
  const files = names.filter((name) => fileSensitivity(name.toLowerCase()) !== undefined);
  const folders = DIRECTORY_NAMES.flatMap(({ paths }) => paths).filter((path) =>
    known.has(path.split("/")[0] ?? ""),
  );
  const inFolders = await Promise.all(folders.map((folder) => filesAt(backend, below(base, folder))));
  return [...files.map((name) => below(base, name)), ...inFolders.flat()];
}

/** Where rules about paths point without a pattern, or with nothing but everything below. */
function ruledFiles(group: RuleGroup): readonly string[] {
  const named = [...group.reads, ...group.writes].flatMap(({ test }) => test.named);
  return named.map((path) => path.replace(/\/\*\*$/, "")).filter((path) => path !== "" && !isGlob(path));
}

/** The path itself and, when it is a directory, what lies right in it. */
async function filesAt(backend: Backend, path: string): Promise<readonly string[]> {
  return [path, ...(await namesIn(backend, path)).map((name) => below(path, name))];
}

async function namesIn(backend: Backend, path: string): Promise<readonly string[]> {
  try {
    return (await backend.list(path)).map(({ name }) => name);
  } catch {
    // Missing, no directory, no access: nothing to compare with.
    return [];
  }
}

function below(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
