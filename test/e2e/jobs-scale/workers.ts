import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Processes that work side by side; one that is killed is started again. */
export class Workers implements AsyncDisposable {
  readonly #file: string;
  readonly #args: readonly string[];
  readonly #children: ChildProcess[] = [];
  /** The most memory that one of them had. Bytes. */
  mostMemory = 0;

  private constructor(file: string, args: readonly string[]) {
    this.#file = join(import.meta.dirname, file);
    this.#args = args;
  }

  static async start(count: number, file: string, args: readonly string[]): Promise<Workers> {
    const workers = new Workers(file, args);
    await Promise.all(Array.from({ length: count }, () => workers.#add()));
    return workers;
  }

  /** Kills one at once and starts another in its place. Settles when that one works: on a slow machine all would be killed before they do. */
  async killOne(which: number): Promise<void> {
    this.measure();
    const [child] = this.#children.splice(which % this.#children.length, 1);
    if (child !== undefined) await end(child, "SIGKILL");
    await this.#add();
  }

  /** Looks at their memory. */
  measure(): void {
    for (const { pid } of this.#children) this.mostMemory = Math.max(this.mostMemory, memoryOf(pid));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.measure();
    await Promise.all(this.#children.splice(0).map((child) => end(child, "SIGTERM")));
  }

  async #add(): Promise<void> {
    const child = fork(this.#file, this.#args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#children.push(child);
    await Promise.race([once(child, "message"), once(child, "exit")]);
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
