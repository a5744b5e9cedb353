import type { Effect } from "../effect.ts";
import { isWithin } from "./canonical.ts";
import type { PathEffect } from "./scene.ts";

/** An effect in a few words: `reads /etc/hosts`, `runs npm test, which may do anything`. */
export function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case "read":
      return describeRead(effect);
    case "list":
      if (effect.dynamic === true) return "lists a directory whose name isn't known";
      return `lists ${effect.path}${effect.recursive === true ? " and what is below" : ""}${leading(effect)}`;
    case "write":
      return `${effect.redirect === true ? "redirects output to" : "changes"} ${target(effect)}`;
    case "delete":
      return `${effect.forced === true ? "removes by force" : "removes"} ${target(effect)}`;
    case "execute":
      return describeExecute(effect);
    case "connect":
      return `${effect.readOnly === true ? "fetches from" : "connects to"} ${effect.host ?? "the network"}`;
    case "system":
      return effect.what;
    case "unknown":
      return `can't be judged: ${effect.why}`;
  }
}

/** From where paths are called: absolute ones that are short enough stay. */
export interface Standpoint {
  readonly cwd: string;
  readonly home: string;
  /** @default 48 */
  readonly longestPath?: number;
}

/** {@link describeEffect} with long paths called from where the command runs, or from the home. */
export function describeFrom(effect: Effect, from: Standpoint): string {
  if (!("path" in effect)) return describeEffect(effect);
  const { leadsTo, repository } = effect;
  return describeEffect({
    ...effect,
    path: called(effect.path, from),
    ...(leadsTo === undefined ? {} : { leadsTo: called(leadsTo, from) }),
    ...(repository === undefined ? {} : { repository: called(repository, from) }),
  });
}

const LONGEST_PATH = 48;

function called(path: string, { cwd, home, longestPath = LONGEST_PATH }: Standpoint): string {
  if (path.length <= longestPath) return path;
  if (cwd !== "/" && isWithin(path, cwd)) return path.slice(cwd.length + 1) || ".";
  return home !== "/" && isWithin(path, home) ? `~${path.slice(home.length)}` : path;
}

/** A command's words as a person would type them; a word that isn't known yet is `…`. Not for running: patterns stand as they were. */
export function showCommand(argv: readonly (string | null)[]): string {
  return argv.map((word) => (word === null ? "…" : showWord(word))).join(" ");
}

function showWord(word: string): string {
  if (/^[\w@%+=:,./^*?~[\]-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function describeRead(effect: Extract<Effect, { kind: "read" }>): string {
  const { path, repository, dynamic, recursive } = effect;
  if (repository === undefined)
    return dynamic === true
      ? "reads a file whose name isn't known"
      : `reads ${inDepth(effect)}${leading(effect)}`;
  if (dynamic !== true && recursive !== true) return `reads ${path} as git keeps it`;
  const where = path === repository ? `of ${repository}` : `below ${path}`;
  return `reads ${dynamic === true ? "contents that" : "what"} git keeps ${where}`;
}

/** The target of a change: `x/**` is what a search finds below x. */
function target(effect: PathEffect): string {
  const { path, recursive } = effect;
  if (path.endsWith("/**")) return `what it finds below ${path.slice(0, -3) || "/"}`;
  return `${recursive === true ? `${path} and everything below` : path}${leading(effect)}`;
}

/** Where a path leads that was met on the way, or that it may lead further. */
function leading({ leadsTo, followsLinks }: PathEffect): string {
  if (leadsTo !== undefined) return `, which leads to ${leadsTo}`;
  return followsLinks === undefined ? "" : ", links followed";
}

function inDepth({ path, recursive }: { readonly path: string; readonly recursive?: boolean }): string {
  return recursive === true ? `everything below ${path}` : path;
}

function describeExecute(effect: Extract<Effect, { kind: "execute" }>): string {
  const shown = clip(showCommand(effect.argv));
  if (effect.argv[0] === null) return `runs a program that isn't known before it runs (${shown})`;
  const { wrappers = [] } = effect;
  const wrapped = wrappers.length === 0 ? "" : ` (through ${wrappers.join(", ")})`;
  return `runs ${shown}${wrapped}${effect.opaque ? ", which may do anything" : ""}`;
}

function clip(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
