import { type PlatformPath, posix, win32 } from "node:path";
import type { Backend } from "../../backend.ts";

/** How paths of a place are put together. */
export function pathsOf({ flavour }: Pick<Backend, "flavour">): PlatformPath {
  return flavour === "win32" ? win32 : posix;
}
