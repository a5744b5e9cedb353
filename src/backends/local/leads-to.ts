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
  const actual =
    process.platform === "linux" ? await readlink(`/proc/self/fd/${handle.fd}`) : realPath(judged.path);
  if (actual === judged.realPath) return;
  throw new ToolgateError("stale", `${judged.path} no longer leads to ${judged.realPath}.`, {
    hint: "A link or directory on the way was changed. Look again before going on.",
  });
}
