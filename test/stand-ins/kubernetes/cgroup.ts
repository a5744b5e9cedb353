import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** The limits of one container, held by the kernel. */
export interface Group {
  /** Files to which a process writes `0` to come under the limits. */
  readonly lists: readonly string[];
  /** How many processes the kernel has ended for want of memory. */
  outOfMemory(): number;
  remove(): Promise<void>;
}

const ROOT = "/sys/fs/cgroup";
/** Limits for a container, of memory and of processes; `undefined` where this machine lets us set none (cgroups of version 1, as root). */
export function makeGroup(name: string, memoryBytes: number, processes: number): Group | undefined {
  const [memory, pids] = [join(ROOT, "memory", name), join(ROOT, "pids", name)];
  try {
    accessSync(join(ROOT, "memory"), constants.R_OK);
    mkdirSync(memory);
    mkdirSync(pids);
    writeFileSync(join(memory, "memory.limit_in_bytes"), String(memoryBytes));
    writeFileSync(join(pids, "pids.max"), String(processes));
  } catch {
    void removeFolders([memory, pids]);
    return undefined;
  }
  return {
    lists: [join(memory, "cgroup.procs"), join(pids, "cgroup.procs")],
    outOfMemory: () => {
      const control = join(memory, "memory.oom_control");
      if (!existsSync(control)) return 0;
      return Number(/oom_kill (\d+)/.exec(readFileSync(control, "utf8"))?.[1] ?? 0);
    },
    remove: () => removeFolders([memory, pids]),
  };
}

/** Whether this machine lets us set limits. */
export function canLimit(): boolean {
  const group = makeGroup(`toolgate-probe-${process.pid}`, 1024 ** 2, 1);
  void group?.remove();
  return group !== undefined;
}

async function removeFolders(folders: readonly string[]): Promise<void> {
  // A process that has ended belongs to its group until it has been buried.
  for (let tries = 0; tries < 40 && folders.some((folder) => !removed(folder)); tries += 1) await pause(25);
}

function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

/** Bytes of a quantity such as `512Mi`. */
export function bytesOf(quantity: string): number {
  const [, digits = "0", unit = ""] = /^(\d+)(Ki|Mi|Gi|)$/.exec(quantity) ?? [];
  return Number(digits) * 1024 ** ["", "Ki", "Mi", "Gi"].indexOf(unit);
}
