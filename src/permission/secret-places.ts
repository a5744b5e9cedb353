import type { ReadEffect } from "../effect.ts";
import type { PermissionContext } from "../tool.ts";
import { canonicalPath, parentOf } from "./canonical.ts";
import { isGlob } from "./glob-regex.ts";
import { isFloating, type PathPattern, patternReaches } from "./path-pattern.ts";
import { type RuleGroup, ruleSetOf } from "./rule-set.ts";
import { type Found, Scout, TooFar } from "./scout.ts";
import { fileSensitivity } from "./sensitive.ts";
import { DIRECTORY_NAMES, SYSTEM_PATHS } from "./sensitive-names.ts";

/** Of what is read in depth, so much is looked through; the command itself takes longer for it. */
const BELOW = { directories: 5_000, ms: 250 };
const ITSELF = { recursive: false } as const;
/** Directories of what others wrote: large, and none of one's own secrets are there. */
const FOREIGN: ReadonlySet<string> = new Set([
  "node_modules",
  ".git",
  ".venv",
  "venv",
  "__pycache__",
  "vendor",
]);

/** What makes a name worth hiding. */
interface Search {
  readonly scout: Scout;
  readonly found: Set<string>;
  readonly isTelling: (entry: Found) => boolean;
}

/**
 * Where secrets, and what rules keep from being read, may lie: where rules point, in the home, the working directories and their
 * directories of keys, in the system, and below what is read in depth, as far as that is looked through quickly.
 */
export async function hidingPlaces(
  open: readonly ReadEffect[],
  context: PermissionContext,
): Promise<readonly string[]> {
  const { deny, ask } = ruleSetOf(context).groups;
  const scout = new Scout(context.backend);
  const found = new Set<string>();
  const search = { scout, found, isTelling: tellsBy(deny, ask, context) };
  try {
    await addRuled([deny, ask], search);
    await addSystem(search);
    for (const base of new Set([context.backend.home, ...context.workingDirectories]))
      await addRight(base, search);
    const below = { ...search, scout: new Scout(context.backend, BELOW) };
    for (const effect of open) await addBelow(effect, below);
  } catch (error) {
    // What was found by then is worth hiding; the rest was judged by its path.
    if (!(error instanceof TooFar)) throw error;
  }
  return [...found];
}

function tellsBy(deny: RuleGroup, ask: RuleGroup, context: PermissionContext): Search["isTelling"] {
  const floating = [...deny.reads, ...ask.reads].flatMap(({ test }) => test.patterns.filter(isFloating));
  return ({ name, path }) =>
    fileSensitivity(name.toLowerCase())?.is === "secret" || isNamed(path, floating, context);
}

function isNamed(
  path: string,
  patterns: readonly PathPattern[],
  { backend, cwd }: PermissionContext,
): boolean {
  if (patterns.length === 0) return false;
  const canonical = canonicalPath(path, backend, cwd);
  return patterns.some((pattern) => patternReaches(pattern, canonical, ITSELF));
}

/** What rules name without a pattern, or with one in the last place. */
async function addRuled(groups: readonly RuleGroup[], search: Search): Promise<void> {
  for (const { test } of groups.flatMap(({ reads }) => reads)) {
    for (const [at, pattern] of test.patterns.entries())
      await addNamed(test.named[at] ?? "", pattern, search);
  }
}

async function addNamed(glob: string, pattern: PathPattern, { scout, found }: Search): Promise<void> {
  const path = glob.replace(/\/\*\*$/, "");
  if (path === "") return;
  if (!isGlob(path)) found.add(path);
  else if (!isGlob(parentOf(path))) {
    const entries = await scout.entries(parentOf(path));
    for (const entry of entries) if (patternReaches(pattern, entry.path, ITSELF)) found.add(entry.path);
  }
}

async function addSystem({ scout, found }: Search): Promise<void> {
  const paths = SYSTEM_PATHS.filter(({ is }) => is === "secret").flatMap((row) => row.paths);
  const kinds = await scout.kinds(paths, "lstat");
  for (const [at, path] of paths.entries()) if (kinds[at] !== undefined) found.add(path);
}

/** Telling names right in a directory, and its directories of keys. */
async function addRight(base: string, search: Search): Promise<void> {
  const entries = await search.scout.entries(base);
  for (const entry of entries) if (search.isTelling(entry)) search.found.add(entry.path);
  const names = new Set(entries.map(({ name }) => name));
  const start = base === "/" ? "" : base;
  for (const row of DIRECTORY_NAMES) {
    const paths =
      row.is === "secret" ? row.paths.filter((path) => names.has(path.split("/", 1)[0] ?? "")) : [];
    for (const path of paths) await addKeys(`${start}/${path}`, row.readable !== undefined, search);
  }
}

/** A directory of keys: as a whole, or file by file where some are no secret. */
async function addKeys(path: string, isMixed: boolean, { scout, found }: Search): Promise<void> {
  if (!isMixed) found.add(path);
  else for (const entry of await scout.entries(path)) found.add(entry.path);
}

async function addBelow(effect: ReadEffect, { scout, found, isTelling }: Search): Promise<void> {
  const { path, recursive, pattern, dynamic, skipsHidden } = effect;
  if (pattern === true) return;
  await scout.walk(path, async (entries) => {
    const shown = skipsHidden === true ? entries.filter(({ name }) => !name.startsWith(".")) : entries;
    for (const entry of shown) if (isTelling(entry)) found.add(entry.path);
    if (recursive !== true || dynamic === true) return [];
    return shown
      .filter(({ kind, name }) => kind === "directory" && !FOREIGN.has(name))
      .map((each) => each.path);
  });
}
