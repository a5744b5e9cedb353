import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Processes that work side by side; one that is killed is started again. */
export class Workers implements AsyncDisposable {
  readonly #file: string;
  readonly #args: readonly string[];
  readonly #count: number;
  /** Those that run, each with what settles when it works. */
  readonly #children = new Map<ChildProcess, Promise<void>>();
  readonly #working = new Set<ChildProcess>();
  /** The most memory that one of them had. Bytes. */
  mostMemory = 0;

  private constructor(file: string, args: readonly string[], count: number) {
    this.#file = join(import.meta.dirname, file);
    this.#args = args;
    this.#count = count;
  }

  static async start(count: number, file: string, args: readonly string[]): Promise<Workers> {
    const workers = new Workers(file, args, count);
    await Promise.all(Array.from({ length: count }, () => workers.#add()));
    return workers;
  }

  /**
   * Kills one that works at once and starts another in its place. Settles when more than half of them work: on a slow machine all would be killed
   * before they do.
   */
  async killOne(which: number): Promise<void> {
    this.measure();
    const working = [...this.#working];
    const child = working[which % working.length];
    if (child !== undefined) {
      this.#children.delete(child);
      this.#working.delete(child);
      await end(child, "SIGKILL");
      void this.#add();
    }
    while (this.#working.size <= this.#count / 2) {
      const starting = [...this.#children].filter(([one]) => !this.#working.has(one));
      await Promise.race(starting.map(([, works]) => works));
    }
  }

  /** Looks at their memory. */
  measure(): void {
    for (const { pid } of this.#children.keys()) this.mostMemory = Math.max(this.mostMemory, memoryOf(pid));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.measure();
    const children = [...this.#children.keys()];
    this.#children.clear();
    await Promise.all(children.map((child) => end(child, "SIGTERM")));
  }

  async #add(): Promise<void> {
    const child = fork(this.#file, this.#args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const works = Promise.race([once(child, "message"), once(child, "exit")]).then(() => {
      if (this.#children.has(child)) this.#working.add(child);
    });
    this.#children.set(child, works);
    await works;
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
  await ended;
  clearTimeout(late);
}

/** A process's memory. Bytes; 0 where that can't be told. */
function memoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
