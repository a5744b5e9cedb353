import type { Effect, ExecuteEffect } from "../effect.ts";
import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { PermissionContext } from "../tool.ts";
import { baseOf, canonicalPath, isWithin } from "./canonical.ts";
import { linksBelow } from "./links-below.ts";
import type { PathEffect } from "./scene.ts";
import { Scout, TooFar } from "./scout.ts";

/** What puts links where a later part of the same command may go through them: a move, or a copy that keeps links. */
interface Placing {
  readonly part: number | undefined;
  readonly sources: readonly PathEffect[];
  readonly targets: readonly string[];
  /** The name it makes is itself a link to the source. */
  readonly links: boolean;
}

const KEEPS_LINKS =
  /^-[a-zA-Z]*[adPRrs]|^--(?:archive|recursive|no-dereference|links|symbolic-link|preserve)/;
const LINKS = /^-[a-zA-Z]*s|^--symbolic-link/;

/**
 * Adds what a command reaches through links that it has put there itself: `mv link y && echo x > y` writes where the link leads, although
 * nothing is at `y` when it is judged. Looks only when something is both put somewhere and used from there.
 */
export function withMoved(
  effects: readonly Effect[],
  context: PermissionContext,
): MaybePromise<readonly Effect[]> {
  const placings = placingsOf(effects, context);
  const uses = placings.length === 0 ? [] : effects.filter((effect) => isUse(effect, placings, context));
  if (uses.length === 0) return effects;
  return after(reached(placings, context), (targets) => [
    ...effects,
    ...uses.flatMap((use) => throughLinks(use, targets)),
  ]);
}

function placingsOf(effects: readonly Effect[], context: PermissionContext): readonly Placing[] {
  const placings: Placing[] = [];
  for (const effect of effects) {
    if (effect.kind !== "execute" || !keepsLinks(effect)) continue;
    const own = effects.filter((other): other is PathEffect => "path" in other && other.part === effect.part);
    const sources = own.filter(({ kind }) => kind === "read" || kind === "delete");
    const targets = own.filter(({ kind }) => kind === "write").map(({ path }) => form(path, context));
    placings.push({ part: effect.part, sources, targets, links: hasOption(effect, LINKS) });
  }
  return placings;
}

function keepsLinks(effect: ExecuteEffect): boolean {
  const program = baseOf(effect.program);
  if (program === "mv" || program === "rsync") return true;
  return program === "ln" || (program === "cp" && hasOption(effect, KEEPS_LINKS));
}

function hasOption({ argv, program }: ExecuteEffect, pattern: RegExp): boolean {
  if (baseOf(program) === "ln") return true;
  return baseOf(program) === "cp" && argv.some((word) => word !== null && pattern.test(word));
}

/** Whether an effect is on, or below, something that another part has put there. */
function isUse(
  effect: Effect,
  placings: readonly Placing[],
  context: PermissionContext,
): effect is PathEffect {
  if (!("path" in effect) || effect.kind === "list") return false;
  const path = form(effect.path, context);
  return placings.some(({ part, targets }) => {
    if (part === effect.part) return false;
    // What is removed is the link itself.
    return targets.some((target) => isWithin(path, target) && !(effect.kind === "delete" && path === target));
  });
}

/** Where the links lead that are put somewhere; `undefined` for one of which that can't be told. */
async function reached(
  placings: readonly Placing[],
  context: PermissionContext,
): Promise<readonly (string | undefined)[]> {
  const scout = new Scout(context.backend);
  const found: (string | undefined)[] = [];
  try {
    for (const placing of placings) {
      for (const source of placing.sources) found.push(...(await leadsFrom(placing, source, scout)));
    }
  } catch (error) {
    if (!(error instanceof TooFar)) throw error;
    found.push(undefined);
  }
  return [...new Set(found)];
}

async function leadsFrom(
  placing: Placing,
  { path, pattern, dynamic }: PathEffect,
  scout: Scout,
): Promise<readonly (string | undefined)[]> {
  if (pattern === true || dynamic === true) return [undefined];
  if (placing.links) return [path];
  const [kind] = await scout.kinds([path], "lstat");
  if (kind === "symlink") return scout.real([path]);
  if (kind !== "directory") return [];
  const below = await linksBelow(path, scout, { follows: undefined, skipsHidden: false });
  return below.map(({ target }) => target);
}

/** What a use comes to when a link leads there. */
function throughLinks(use: PathEffect, targets: readonly (string | undefined)[]): readonly Effect[] {
  const { part, span } = use;
  const base = { ...(part === undefined ? {} : { part }), ...(span === undefined ? {} : { span }) };
  return targets.map((target): Effect => {
    if (target === undefined)
      return { kind: "unknown", why: "goes through links that it has moved itself", ...base };
    const { pattern: _pattern, ...rest } = use;
    return { ...rest, path: target, leadsTo: target, recursive: true };
  });
}

function form(path: string, { backend, cwd }: PermissionContext): string {
  return canonicalPath(path, backend, cwd);
}
