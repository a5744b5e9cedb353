import { type FileHandle, readlink } from "node:fs/promises";
import { ToolgateError } from "../../errors.ts";
import { realPath } from "./realpath.ts";

/**
 * Refuses when what was opened is not what was judged: a link on the way may have been swapped between the two. On Linux
 * the kernel says what is open; elsewhere the path is resolved again, which leaves a moment open.
 * @throws ToolgateError `stale`
 */
export async function checkLeadsTo(
  handle: FileHandle,
  judged: { readonly path: string; readonly realPath: string },
): Promise<void> {
  if (process.platform !== "linux") return checkResolves(judged.path, judged.realPath);
  const actual = await readlink(`/proc/self/fd/${handle.fd}`);
  if (actual === judged.realPath) return;
  // Replaced or removed since it was opened: it was at its place then.
  if (actual === `${judged.realPath} (deleted)` && (await handle.stat()).nlink === 0) return;
  throw elsewhere(judged.path, judged.realPath);
}

/**
 * Refuses when a path that need not exist resolves to another than was judged.
 * @throws ToolgateError `stale`
 */
export function checkResolves(path: string, judged: string): void {
  if (realPath(path) !== judged) throw elsewhere(path, judged);
}

function elsewhere(path: string, judged: string): ToolgateError {
  return new ToolgateError("stale", `${path} no longer leads to ${judged}.`, {
    hint: "A link or directory on the way was changed. Look again before going on.",
  });
}
