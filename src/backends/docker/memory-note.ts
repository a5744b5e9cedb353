import type { Backend } from "../../backend.ts";

/** Where a container sees how often its processes were killed for lack of memory, in the kernel's newer way and the older one. */
const COUNTERS = ["/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"] as const;

/** A backend over a container that says so, on standard error, when a command failed because memory ran out: nothing else would. */
export function withMemoryNote(backend: Backend, memoryBytes: number): Backend {
  let seen: Promise<number> | undefined;
  return {
    ...backend,
    async exec(argv, options) {
      seen ??= memoryKills(backend);
      const before = await seen;
      const result = await backend.exec(argv, options);
      if (result.stopped || result.exitCode === 0) return result;
      seen = memoryKills(backend);
      if ((await seen) > before) {
        const limit = `${Math.round(memoryBytes / 1024 / 1024)} MiB`;
        const note = `toolgate: the container's memory limit of ${limit} was reached, and the kernel killed a process in it.\n`;
        await options.onOutput?.(Buffer.from(note), "stderr");
      }
      return result;
    },
  };
}

async function memoryKills(backend: Backend): Promise<number> {
  for (const path of COUNTERS) {
    const text = await backend.readFile(path).catch(() => new Uint8Array());
    const count = /^oom_kill (\d+)$/m.exec(Buffer.from(text).toString())?.[1];
    if (count !== undefined) return Number(count);
  }
  return 0;
}
