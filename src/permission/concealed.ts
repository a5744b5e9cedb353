import type { Effect, ReadEffect } from "../effect.ts";
import type { PermissionContext } from "../tool.ts";
import { baseOf, isWithin } from "./canonical.ts";
import { mayRead } from "./may-read.ts";
import { Scout } from "./scout.ts";
import { hidingPlaces } from "./secret-places.ts";

/** What is kept from a run that reads more than it names. All real paths. */
export interface Concealed {
  readonly hide: readonly string[];
  /** Those of them that the call would have read. */
  readonly leftOut: readonly string[];
}

const MOST_HIDDEN = 200;

/**
 * What has to be hidden from a call that was found to only read, where it reads more than it names: everything in depth, what a pattern
 * or a variable stands for. It is what the same tool couldn't read by name without a question. `undefined` when all is named.
 */
export async function concealed(
  toolName: string,
  effects: readonly Effect[],
  context: PermissionContext,
): Promise<Concealed | undefined> {
  const open = effects.filter(readsUnnamed);
  if (open.length === 0) return undefined;
  const paths = await hidingPlaces(open, context);
  const shown = await mayRead(toolName, paths, context);
  const scout = new Scout(context.backend);
  const kept = await realOnes(
    paths.filter((_, at) => shown[at] === false),
    scout,
  );
  const needed = await realOnes(placesNeeded(context), scout);
  // Git would take what is hidden for changed.
  const whole = effects.some(isGit) ? await realOnes(context.workingDirectories, scout) : [];
  const hide = kept
    .filter((path) => !needed.some((place) => isWithin(place, path)))
    .filter((path) => !whole.some((place) => isWithin(path, place)))
    .slice(0, MOST_HIDDEN);
  const deep = await realOnes(
    open.filter(({ recursive }) => recursive === true).map(({ path }) => path),
    scout,
  );
  return { hide, leftOut: hide.filter((path) => deep.some((place) => isWithin(path, place))) };
}

function readsUnnamed(effect: Effect): effect is ReadEffect {
  if (effect.kind !== "read" || effect.filtered === true || effect.repository !== undefined) return false;
  return effect.recursive === true || effect.pattern === true || effect.dynamic === true;
}

/** Where a command runs and what it runs with can't be taken from under it. */
function placesNeeded({ backend, cwd, workingDirectories }: PermissionContext): readonly string[] {
  return [cwd, backend.home, backend.scratch, ...workingDirectories];
}

function isGit(effect: Effect): boolean {
  return effect.kind === "execute" && baseOf(effect.program) === "git";
}

async function realOnes(paths: readonly string[], scout: Scout): Promise<readonly string[]> {
  const real = await scout.real(paths);
  return [...new Set(real.filter((path) => path !== undefined))];
}
