import type { DeleteEffect, Effect, ExecuteEffect } from "../effect.ts";
import { baseOf, isWithin, parentOf } from "./canonical.ts";
import { isInside, type Place, type Scene } from "./scene.ts";
import { sensitivityBelow } from "./sensitive.ts";

const REMOVERS: ReadonlySet<string> = new Set(["rm", "rmdir", "unlink", "shred", "srm", "trash"]);
const RAISES: ReadonlySet<string> = new Set(["sudo", "doas", "su", "pkexec", "run0"]);

/**
 * Why a removal can't be left to rules, or `undefined` when it can: it takes a critical place, reaches outside the working
 * directories by force or in depth, runs with more rights, or removes what can't be known.
 */
export function removalDanger(effect: Effect, place: Place | undefined, scene: Scene): string | undefined {
  if (effect.kind === "execute") return unknownTarget(effect);
  if (effect.kind !== "delete" || place === undefined) return undefined;
  const critical = criticalPlace(place.lexical, effect, scene) ?? realCriticalPlace(place, effect, scene);
  if (critical !== undefined) return `It would remove ${critical}.`;
  const below = sensitivityBelow(place.real ?? place.lexical, effect, scene);
  if (below !== undefined) return `It would remove ${effect.path} with ${below.what} in it.`;
  if ((effect.recursive === true || effect.forced === true) && !isInside(place, scene.roots)) {
    const how = effect.recursive === true ? "in depth" : "by force";
    return `It would remove ${effect.path} ${how}, outside the working directories.`;
  }
  return raisedRights(effect, scene);
}

function realCriticalPlace(place: Place, effect: DeleteEffect, scene: Scene): string | undefined {
  if (place.real === undefined || place.real === place.lexical) return undefined;
  return criticalPlace(place.real, effect, scene);
}

function criticalPlace(path: string, effect: DeleteEffect, scene: Scene): string | undefined {
  if (effect.pattern === true) return criticalPattern(path, effect, scene);
  const named = namedPlace(path, scene);
  if (named !== undefined) return named;
  return isRoot(parentOf(path)) ? `${effect.path}, a directory of the system` : undefined;
}

function criticalPattern(path: string, effect: DeleteEffect, scene: Scene): string | undefined {
  const base = baseOf(path);
  const parent = parentOf(path);
  // `x/*` empties x, which is no better than removing it. `x/**` is a search's "some of what lies below"; by itself
  // that is critical only where it reaches the home or the root.
  const all = /^[*.?]*\*[*.?]*$/.test(base) && (base !== "**" || isWithin(scene.home, parent));
  const folder = all ? namedPlace(parent, scene) : undefined;
  if (folder !== undefined) return `everything in ${folder}`;
  return parent === "/" ? `paths directly below the root (${effect.path})` : undefined;
}

function namedPlace(path: string, scene: Scene): string | undefined {
  if (isRoot(path)) return "the root directory";
  if (isWithin(scene.home, path)) {
    return path === scene.home ? "your home directory" : `${path}, which holds your home`;
  }
  for (const root of [scene.cwd, ...scene.roots]) {
    if (path === root) return "the working directory itself";
    if (isWithin(root, path)) return `${path}, which holds the working directory`;
  }
  return undefined;
}

function isRoot(path: string): boolean {
  return path === "/" || /^[a-z]:\/?$/.test(path);
}

function unknownTarget(effect: ExecuteEffect): string | undefined {
  if (!REMOVERS.has(baseOf(effect.program)) || !effect.argv.includes(null)) return undefined;
  return "What it would remove can't be known before it runs.";
}

function raisedRights(effect: DeleteEffect, scene: Scene): string | undefined {
  for (const other of scene.effects) {
    if (other.kind !== "execute" || other.part !== effect.part || other.wrappers === undefined) continue;
    const wrapper = other.wrappers.find((name) => RAISES.has(baseOf(name)));
    if (wrapper !== undefined) return `It would remove ${effect.path} with the rights that ${wrapper} gives.`;
  }
  return undefined;
}
