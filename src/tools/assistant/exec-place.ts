import type { Backend } from "../../backend.ts";
import type { Effect, ReadEffect, WriteEffect } from "../../effect.ts";
import { isToolgateError } from "../../errors.ts";
import type { ToolInput } from "../../tool.ts";
import { pathsOf } from "../file/path.ts";
import { searchPath } from "../search/search-path.ts";
import { followedLinks, foundLinks } from "./followed-links.ts";
import { namePattern } from "./name-pattern.ts";

/** The directory a command runs in. @throws ToolgateError `invalid_input` */
export function workingDirectory(input: ToolInput, cwd: string, backend: Backend): string {
  return searchPath({ path: input.working_dir }, cwd, backend);
}

/** `C:\…` and `..\`: nothing on this side of a POSIX shell, and a way out where the command meets Windows. */
const WINDOWS_PATH = /(?:^|[\s"'=(,;|&<>])[a-z]:[\\/](?!\/)|\.\.\\/i;

/**
 * What has to be looked at besides a command's own effects when it is to stay in the workspace: the directories it works in, links
 * among the files that its patterns stand for and that it follows, and paths of another system.
 */
export async function placeEffects(
  command: string,
  {
    effects,
    start,
    visited,
    backend,
  }: {
    readonly effects: readonly Effect[];
    readonly start: string;
    readonly visited: readonly (string | null)[];
    readonly backend: Backend;
  },
): Promise<readonly Effect[]> {
  const found: Effect[] = [...new Set([start, ...visited])].map((path) =>
    path === null ? { kind: "list", path: "/", dynamic: true } : { kind: "list", path },
  );
  if (WINDOWS_PATH.test(command)) {
    const danger = "it names a Windows path, which may lead out of the workspace";
    found.push({ kind: "unknown", why: "a path of another system", danger });
  }
  for (const effect of effects) {
    if ((effect.kind !== "read" && effect.kind !== "write") || effect.pattern !== true) continue;
    const word = command.slice(effect.span?.start, effect.span?.end);
    const isDeep = effect.path.endsWith("/**");
    found.push(
      ...(isDeep ? await foundLinks({ effect, word }, effects, backend) : await linksAmong(effect, backend)),
    );
  }
  found.push(...(await followedLinks(effects, backend)));
  return found;
}

/** The links that a pattern in the last component may stand for, each as what the pattern does to it. */
async function linksAmong(effect: ReadEffect | WriteEffect, backend: Backend): Promise<readonly Effect[]> {
  const paths = pathsOf(backend.flavour);
  const directory = paths.dirname(effect.path);
  // Patterns further up are asked about as they are.
  if (/[*?[{]/.test(directory)) return [];
  try {
    const name = paths.basename(effect.path);
    const fits = /[{(]/.test(name) ? () => true : namePattern(name);
    const links = (await backend.list(directory)).filter(
      (entry) => entry.kind === "symlink" && fits(entry.name),
    );
    const { pattern: _pattern, ...rest } = effect;
    return links.map((link) => ({ ...rest, path: paths.join(directory, link.name) }));
  } catch (error) {
    if (isToolgateError(error)) return []; // nothing there that it could stand for
    throw error;
  }
}
