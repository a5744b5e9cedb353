import type { Effect } from "../effect.ts";
import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { PermissionContext } from "../tool.ts";
import { canonicalPath, isWithin, throughProc } from "./canonical.ts";
import { resolvedPaths } from "./resolved-paths.ts";

/** The effects that have a path. */
export type PathEffect = Extract<Effect, { readonly path: string }>;

/** A path effect's target in every spelling that counts. All canonical. */
export interface Place {
  /** As the call spells it. */
  readonly lexical: string;
  /** With links resolved; for a removal the last component stays as it is. `undefined` when it can't be resolved. */
  readonly real: string | undefined;
  /** Names the file that it leads to under each of its names, when it has several and the backend has told that along with them. */
  readonly fileId?: string;
  /** A sensitive or ruled file that this is another name of (a hard link). */
  readonly twin?: string;
  /** For what git keeps: as it is called from the repository's top, or the top itself where all of it is meant. Canonical. */
  readonly fromTop?: string;
  /**
   * For a directory that is read in depth and was looked into: what rules name at any depth and is there, or, with `whole`, what they name
   * in any way. Canonical.
   */
  readonly contents?: { readonly found: readonly string[]; readonly whole?: true };
}

/** Effects together with the places they touch, resolved once so that all that follows is synchronous. */
export interface Scene {
  readonly effects: readonly Effect[];
  /** By effect index; `undefined` for effects without a path. */
  readonly places: readonly (Place | undefined)[];
  readonly context: PermissionContext;
  readonly home: string;
  readonly cwd: string;
  /** The working directories, lexical and real. */
  readonly roots: readonly string[];
}

/** Resolves what effects touch. Synchronous where the backend's `realpath` is; in one request where it resolves many paths in one. */
export function makeScene(effects: readonly Effect[], context: PermissionContext): MaybePromise<Scene> {
  if (context.backend.resolveAll !== undefined) return sceneInOne(effects, context);
  const found: MaybePromise<string | undefined>[] = [];
  const directories = context.workingDirectories.map((path) => safeRealpath(ownView(path, context), context));
  let waits = directories.some((real) => real instanceof Promise);
  for (const effect of effects) {
    const real = "path" in effect ? resolve(effect, context, directories) : undefined;
    waits ||= real instanceof Promise;
    found.push(real);
  }
  found.push(...directories);
  const finish = (reals: readonly (string | undefined)[]): Scene => assemble(effects, context, reals);
  return waits ? Promise.all(found).then(finish) : finish(settled(found));
}

async function sceneInOne(effects: readonly Effect[], context: PermissionContext): Promise<Scene> {
  const targets = [
    ...effects.map((effect) => ("path" in effect ? targetOf(effect, context) : undefined)),
    ...context.workingDirectories.map((path): Target => ({ path: ownView(path, context) })),
  ];
  const found = await resolvedPaths(
    targets.flatMap((target) => target?.path ?? []),
    context.backend,
  );
  const resolved = targets.map((target) => found.get(target?.path ?? ""));
  const reals = targets.map((target, index) => joined(resolved[index]?.realPath, target?.base));
  return assemble(
    effects,
    context,
    reals,
    resolved.map((one) => one?.fileId),
  );
}

/** A scene that takes every path as it is spelled, for what needs no certainty. */
export function lexicalScene(effects: readonly Effect[], context: PermissionContext): Scene {
  const paths = effects.map((effect) => ("path" in effect ? effect.path : undefined));
  return assemble(effects, context, [...paths, ...context.workingDirectories]);
}

/** Whether every spelling of a place lies in a working directory. */
export function isInside(place: Place, roots: readonly string[]): boolean {
  return place.real !== undefined && within(place.lexical, roots) && within(place.real, roots);
}

/** `reals` holds the real path of each effect, then of each working directory; `ids` the ids that are known of files with several names. */
function assemble(
  effects: readonly Effect[],
  context: PermissionContext,
  reals: readonly (string | undefined)[],
  ids: readonly (string | undefined)[] = [],
): Scene {
  const { backend, cwd } = context;
  return {
    effects,
    places: effects.map((effect, index) => {
      if (!("path" in effect)) return undefined;
      const real = canonical(reals[index], context);
      const place = { lexical: canonicalPath(effect.path, backend, cwd), real };
      const fileId = ids[index];
      return fileId === undefined ? place : { ...place, fileId };
    }),
    context,
    home: canonicalPath(backend.home, backend, cwd),
    cwd: canonicalPath(cwd, backend, cwd),
    roots: rootForms(context, reals.slice(effects.length)),
  };
}

function within(path: string, roots: readonly string[]): boolean {
  for (const root of roots) if (isWithin(path, root)) return true;
  return false;
}

/** What is resolved for an effect. */
interface Target {
  readonly path: string;
  /** What comes behind the real path as it is. */
  readonly base?: string;
}

/** The path as it came: the kernel goes through a link before it takes a `..`, so collapsing first would miss it. */
function targetOf(effect: PathEffect, context: PermissionContext): Target {
  if (effect.kind !== "delete") return { path: ownView(effect.path, context) };
  // A removal takes the link itself, never what it points to; unless a slash behind it says to go through.
  const path = effect.path.replace(/(?<=.)[\\/]+$/, "");
  if (path !== effect.path && effect.recursive === true) return { path: ownView(path, context) };
  const at = Math.max(
    path.lastIndexOf("/"),
    context.backend.flavour === "win32" ? path.lastIndexOf("\\") : -1,
  );
  const base = path.slice(at + 1);
  if (at < 0 || base === "" || base === "." || base === "..") return { path: ownView(path, context) };
  return { path: ownView(at === 0 ? "/" : path.slice(0, at), context), base };
}

/** `directories` is where the working directories lead: what is done right there needn't be asked again. */
function resolve(
  effect: PathEffect,
  context: PermissionContext,
  directories: readonly MaybePromise<string | undefined>[],
): MaybePromise<string | undefined> {
  const { path, base } = targetOf(effect, context);
  const known = context.workingDirectories.indexOf(path);
  const real = known < 0 ? safeRealpath(path, context) : directories[known];
  return after(real, (found) => joined(found, base));
}

function joined(parent: string | undefined, base: string | undefined): string | undefined {
  if (parent === undefined || base === undefined) return parent;
  return parent.endsWith("/") ? parent + base : `${parent}/${base}`;
}

function ownView(path: string, context: PermissionContext): string {
  return path.includes("/proc/") ? throughProc(path, context.cwd, false) : path;
}

/** A path that can't be resolved (a loop, no access) has no real form; what needs one then fails closed. */
function safeRealpath(path: string, context: PermissionContext): MaybePromise<string | undefined> {
  try {
    const real = context.backend.realpath(path);
    return real instanceof Promise ? real.catch(() => undefined) : real;
  } catch {
    return undefined;
  }
}

function settled(values: readonly MaybePromise<string | undefined>[]): readonly (string | undefined)[] {
  return values.map((value) => (value instanceof Promise ? undefined : value));
}

function canonical(path: string | undefined, context: PermissionContext): string | undefined {
  return path === undefined ? undefined : canonicalPath(path, context.backend, context.cwd);
}

function rootForms(context: PermissionContext, reals: readonly (string | undefined)[]): readonly string[] {
  const forms = new Set<string>();
  context.workingDirectories.forEach((directory, index) => {
    forms.add(canonicalPath(directory, context.backend, context.cwd));
    const real = canonical(reals[index], context);
    if (real !== undefined) forms.add(real);
  });
  return [...forms];
}
