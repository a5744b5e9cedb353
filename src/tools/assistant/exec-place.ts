import type { Backend } from "../../backend.ts";
import type { Effect } from "../../effect.ts";
import type { ToolInput } from "../../tool.ts";
import { searchPath } from "../search/search-path.ts";

/** The directory a command runs in. @throws ToolgateError `invalid_input` */
export function workingDirectory(input: ToolInput, cwd: string, backend: Backend): string {
  return searchPath({ path: input.working_dir }, cwd, backend);
}

/** `C:\…` and `..\`: nothing on this side of a POSIX shell, and a way out where the command meets Windows. */
const WINDOWS_PATH = /(?:^|[\s"'=(,;|&<>])[a-z]:[\\/](?!\/)|\.\.\\/i;

/**
 * What counts besides a command's own effects when it is to stay in the workspace: the directories it works in, and paths of another
 * system.
 */
export function placeEffects(
  command: string,
  { start, visited }: { readonly start: string; readonly visited: readonly (string | null)[] },
): readonly Effect[] {
  const found: Effect[] = [...new Set([start, ...visited])].map((path) =>
    path === null ? { kind: "list", path: "/", dynamic: true } : { kind: "list", path },
  );
  if (WINDOWS_PATH.test(command)) {
    const danger = "it names a Windows path, which may lead out of the workspace";
    found.push({ kind: "unknown", why: "a path of another system", danger });
  }
  return found;
}
