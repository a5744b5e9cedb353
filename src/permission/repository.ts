import type { Backend } from "../backend.ts";
import type { Effect } from "../effect.ts";
import { isToolgateError } from "../errors.ts";
import { canonicalPath, isWithin, parentOf } from "./canonical.ts";
import { indexPaths } from "./git-index.ts";
import { type PathPattern, patternReaches } from "./path-pattern.ts";
import type { PathEffect, Place, Scene } from "./scene.ts";
import { AT_ONCE, Scout, TooFar } from "./scout.ts";

const MOST_BYTES = 32 * 1024 * 1024;
const ITSELF = { recursive: false } as const;

/** An effect on what a git repository keeps. */
export type KeptEffect = PathEffect & { readonly repository: string };

/** Whether an effect is on what a git repository keeps. */
export function isKept(effect: Effect): effect is KeptEffect {
  return "path" in effect && effect.repository !== undefined;
}

/**
 * Places of what git shows: with the repository's top, and with what these patterns name of what it keeps at present. Where that can't be
 * told, everything below counts.
 */
export async function withRepositories(scene: Scene, patterns: readonly PathPattern[]): Promise<Scene> {
  const looks = new Map<string, Promise<Look>>();
  const places: (Place | undefined)[] = [];
  for (const [index, effect] of scene.effects.entries()) {
    const place = scene.places[index];
    if (place === undefined || !isKept(effect)) {
      places.push(place);
      continue;
    }
    const { repository } = effect;
    const look = looks.get(repository) ?? lookAt(repository, scene, patterns);
    looks.set(repository, look);
    places.push(keptPlace(effect, place, await look));
  }
  return { ...scene, places };
}

/** What was found out about the repository around a directory. Canonical. */
interface Look {
  /** Where it begins, as the command spells it and as it is; none when there is none, or it can't be told. */
  readonly tops: readonly string[];
  /** What the patterns name of what is kept; `undefined` when it can't be told. */
  readonly named: readonly string[] | undefined;
}

const NOTHING: Look = { tops: [], named: undefined };

function keptPlace(effect: KeptEffect, place: Place, { tops, named }: Look): Place {
  const inside = insideOf(effect);
  const [fromTop] = tops.map((top) => (inside === "" ? top : `${top === "/" ? "" : top}${inside}`));
  // Without a repository there is nothing that it keeps; what is named is read as it lies there.
  if (fromTop === undefined)
    return named !== undefined && effect.dynamic === true
      ? { ...place, contents: { found: [], whole: true } }
      : place;
  const kept = { ...place, fromTop };
  if ((effect.dynamic !== true && effect.recursive !== true) || named === undefined) return kept;
  // The whole repository is shown wherever in it the command runs.
  const found =
    inside === ""
      ? named
      : named.filter((path) => isWithin(path, place.lexical) || isWithin(path, place.real ?? place.lexical));
  return { ...kept, contents: { found, whole: true } };
}

/** What stands behind the directory that the path counts from. */
function insideOf({ path, repository }: KeptEffect): string {
  return isWithin(path, repository) ? path.slice(repository === "/" ? 0 : repository.length) : "";
}

async function lookAt(base: string, scene: Scene, patterns: readonly PathPattern[]): Promise<Look> {
  const { backend, cwd } = scene.context;
  const canonical = (path: string): string => canonicalPath(path, backend, cwd);
  const scout = new Scout(backend);
  try {
    const [start] = await scout.real([base]);
    const top = start === undefined ? "unknown" : await topOf(start, scout);
    if (start === undefined || top === "unknown") return NOTHING;
    if (top === undefined) return { tops: [], named: [] };
    const tops = spellings(canonical(top.path), canonical(start), canonical(base));
    const relevant = patterns.filter((pattern) =>
      tops.some((path) => patternReaches(pattern, path, { recursive: true })),
    );
    if (relevant.length === 0) return { tops, named: [] };
    const kept = await keptPaths(top, backend);
    const paths = kept?.flatMap((path) => tops.map((folder) => canonical(`${folder}/${path}`)));
    const named = paths?.filter((path) => relevant.some((pattern) => patternReaches(pattern, path, ITSELF)));
    return { tops, named };
  } catch (error) {
    if (error instanceof TooFar || isToolgateError(error)) return NOTHING;
    throw error;
  }
}

/** The top as it is, and as the command spells it where it came through a link. */
function spellings(top: string, start: string, base: string): readonly string[] {
  const behind = start.slice(top === "/" ? 0 : top.length);
  if (base === start || !base.endsWith(behind)) return [top];
  return [base.slice(0, base.length - behind.length) || "/", top];
}

/** Where a repository begins, and where its index lies. */
interface Top {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Upwards: nearly always it is right here, and else not far. */
async function topOf(start: string, scout: Scout): Promise<Top | "unknown" | undefined> {
  const folders = [start];
  for (let folder = start; folder !== parentOf(folder); ) {
    folder = parentOf(folder);
    folders.push(folder);
  }
  for (let from = 0, count = 1; from < folders.length; from += count, count = AT_ONCE) {
    const some = folders.slice(from, from + count);
    const kinds = await scout.kinds(
      some.map((folder) => `${folder === "/" ? "" : folder}/.git`),
      "stat",
    );
    const at = kinds.findIndex((kind) => kind !== undefined);
    if (at >= 0) return { path: some[at] ?? start, isFolder: kinds[at] === "directory" };
  }
  // A repository without a work tree has no index.
  const heads = await scout.kinds(
    folders.map((folder) => `${folder === "/" ? "" : folder}/HEAD`),
    "stat",
  );
  return heads.every((kind) => kind === undefined) ? undefined : "unknown";
}

/** The last index of a repository that was read; it is read again when the file is another. */
const known = new WeakMap<Backend, Map<string, { version: string; paths: readonly string[] | undefined }>>();

/** @throws ToolgateError when there is no index, or it can't be read */
async function keptPaths(top: Top, backend: Backend): Promise<readonly string[] | undefined> {
  const folder = top.isFolder ? `${top.path}/.git` : await linkedFolder(top.path, backend);
  if (folder === undefined) return undefined;
  const path = `${folder}/index`;
  const { size, version } = await backend.stat(path);
  const before = known.get(backend)?.get(path);
  if (before?.version === version) return before.paths;
  const paths = size > MOST_BYTES ? undefined : indexPaths(await backend.readFile(path));
  const all = known.get(backend) ?? new Map();
  known.set(backend, all.set(path, { version, paths }));
  return paths;
}

/** A work tree beside its repository says in a file where that is. */
async function linkedFolder(top: string, backend: Backend): Promise<string | undefined> {
  const text = new TextDecoder().decode(await backend.readFile(`${top}/.git`, { length: 4096 }));
  const folder = /^gitdir: (.+)\n?$/.exec(text)?.[1];
  if (folder === undefined) return undefined;
  return folder.startsWith("/") ? folder : `${top}/${folder}`;
}
