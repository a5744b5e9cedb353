import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The limits of one container, held by the kernel. */
export interface Group {
  /** Files to which a process writes `0` to come under the limits. */
  readonly lists: readonly string[];
  /** How many processes the kernel has ended for want of memory. */
  outOfMemory(): number;
  remove(): void;
}

const ROOT = "/sys/fs/cgroup";
/** Processes a container may have; a cluster's nodes have such a limit (`podPidsLimit`). */
const PIDS = 200;

/** Limits for a container; `undefined` where this machine lets us set none (cgroups of version 1, as root, are asked for). */
export function makeGroup(name: string, memoryBytes: number): Group | undefined {
  const [memory, pids] = [join(ROOT, "memory", name), join(ROOT, "pids", name)];
  try {
    accessSync(join(ROOT, "memory"), constants.R_OK);
    mkdirSync(memory);
    mkdirSync(pids);
    writeFileSync(join(memory, "memory.limit_in_bytes"), String(memoryBytes));
    writeFileSync(join(pids, "pids.max"), String(PIDS));
  } catch {
    removeFolders([memory, pids]);
    return undefined;
  }
  return {
    lists: [join(memory, "cgroup.procs"), join(pids, "cgroup.procs")],
    outOfMemory: () => {
      const text = readFileSync(join(memory, "memory.oom_control"), "utf8");
      return Number(/oom_kill (\d+)/.exec(text)?.[1] ?? 0);
    },
    remove: () => removeFolders([memory, pids]),
  };
}

function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // It was never made, or its last process is still being buried: an empty group harms nobody.
    }
  }
}

/** Bytes of a quantity such as `512Mi`. */
export function bytesOf(quantity: string): number {
  const [, digits = "0", unit = ""] = /^(\d+)(Ki|Mi|Gi|)$/.exec(quantity) ?? [];
  return Number(digits) * 1024 ** ["", "Ki", "Mi", "Gi"].indexOf(unit);
}
