import { statSync } from "node:fs";

/**
 * Whether a directory is found under its name in other letters too. Linux's usual file systems never do; elsewhere it is
 * tried out (not tested there).
 */
export function foldsCase(directory: string): boolean {
  if (process.platform === "linux") return false;
  const other = directory === directory.toUpperCase() ? directory.toLowerCase() : directory.toUpperCase();
  try {
    return statSync(directory).ino === statSync(other).ino;
  } catch {
    // No such name: letters count.
    return false;
  }
}
