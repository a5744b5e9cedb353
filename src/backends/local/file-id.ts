import { statSync } from "node:fs";

/** Device and inode of a file that has several names; `undefined` for anything else, and for what can't be looked at. */
export function fileId(path: string): string | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.nlink < 2 || !stat.isFile()) return undefined;
    return `${stat.dev}:${stat.ino}`;
  } catch {
    // No access, a loop: the path's real form is judged, which fails closed by itself.
    return undefined;
  }
}
