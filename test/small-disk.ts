import { execFileSync } from "node:child_process";
import { rmdirSync } from "node:fs";
import { chmod, mkdir, rmdir } from "node:fs/promises";

/** A file system with room for 4 MiB. */
export interface SmallDisk {
  readonly path: string;
  readonly remove: () => void;
}

/** Makes a small file system at a path, where this user may mount one. */
export async function smallDisk(path: string): Promise<SmallDisk | undefined> {
  await mkdir(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "none", path], { stdio: "ignore" });
  } catch {
    // Only an administrator may; the row says that it was skipped.
    await rmdir(path);
    return undefined;
  }
  await chmod(path, 0o777);
  const remove = (): void => {
    execFileSync("umount", ["-l", path]);
    rmdirSync(path);
  };
  return { path, remove };
}
