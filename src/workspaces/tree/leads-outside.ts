import { posix } from "node:path";
import type { TreeSymlink } from "./entry.ts";

/** Whether a link leads out of its tree, by its text; one that goes out and comes back counts as well. */
export function leadsOutside({ path, target }: Pick<TreeSymlink, "path" | "target">): boolean {
  if (target.startsWith("/") || /^[a-z]:|\\/i.test(target)) return true;
  let depth = path.split("/").length - 1;
  for (const part of posix.normalize(target).split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "." && part !== "") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
