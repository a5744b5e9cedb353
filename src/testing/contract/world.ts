import { deepStrictEqual, rejects } from "node:assert/strict";
import type { Backend, ExecOptions, ExecResult } from "../../backend.ts";
import { type ErrorCode, isToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";

/** What an implementer gives the suite to work in. */
export interface ContractWorld {
  readonly backend: Backend;
  /** An empty directory of the backend that the row may fill. Spelled as its real path. */
  readonly root: string;
  /** Makes a symbolic link. @default runs `ln -s` in the backend */
  readonly symlink?: (target: string, path: string) => MaybePromise<void>;
  /**
   * Whether a process that a run named by its number is alive; for backends where each run has numbers of its own.
   * @default asks another run
   */
  readonly isAlive?: (pid: string) => MaybePromise<boolean>;
  /** Cleans up after the backend has been disposed of. */
  readonly dispose?: () => MaybePromise<void>;
}

/** What a program gave. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly result: ExecResult;
}

/** A row's place: the backend, a directory, and the few ways in which rows act on them. */
export class RowWorld {
  readonly backend: Backend;
  readonly root: string;
  /** Ends the row without a verdict, saying why. */
  readonly skip: (why: string) => void;
  readonly #given: ContractWorld;

  constructor(given: ContractWorld, skip: (why: string) => void) {
    this.backend = given.backend;
    this.root = given.root;
    this.skip = skip;
    this.#given = given;
  }

  path(name: string): string {
    return this.backend.flavour === "win32"
      ? `${this.root}\\${name.replaceAll("/", "\\")}`
      : `${this.root}/${name}`;
  }

  /** Writes a file below the root, with its parents. */
  async put(name: string, content: string | Uint8Array): Promise<string> {
    const path = this.path(name);
    const data = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await this.backend.writeFile(path, data, { parents: true });
    return path;
  }

  /** The content of a file below the root. */
  async text(name: string): Promise<string> {
    return new TextDecoder().decode(await this.backend.readFile(this.path(name)));
  }

  /** The names in a directory below the root, sorted. */
  async names(name = ""): Promise<readonly string[]> {
    const entries = await this.backend.list(name === "" ? this.root : this.path(name));
    return entries.map((entry) => entry.name).sort();
  }

  async symlink(target: string, name: string): Promise<void> {
    const path = this.path(name);
    if (this.#given.symlink !== undefined) return this.#given.symlink(target, path);
    const { result } = await this.run(["ln", "-s", target, path]);
    deepStrictEqual(result.exitCode, 0, "`ln -s` in the backend");
  }

  /** Runs a program in the root and keeps what it says. */
  async run(argv: readonly string[], options: Partial<ExecOptions> = {}): Promise<Answer> {
    const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const result = await this.backend.exec(argv, {
      cwd: this.root,
      onOutput: (bytes, stream) => {
        said[stream].push(Buffer.from(bytes));
      },
      ...options,
    });
    const [stdout, stderr] = [said.stdout, said.stderr].map((pieces) => Buffer.concat(pieces).toString());
    return { stdout: stdout ?? "", stderr: stderr ?? "", result };
  }

  /** Runs a POSIX shell script in the root. */
  async sh(script: string, options: Partial<ExecOptions> = {}): Promise<Answer> {
    return this.run(["sh", "-c", script], options);
  }

  /** Whether the backend has a program. */
  async has(program: string): Promise<boolean> {
    const { result } = await this.run(["sh", "-c", 'command -v "$1" >/dev/null', "sh", program]);
    return result.exitCode === 0;
  }

  /** Waits until a file below the root exists and has something in it; at most some seconds. */
  async appears(name: string, limitMs = 5000): Promise<string> {
    for (const deadline = Date.now() + limitMs; Date.now() < deadline; await pause(20)) {
      const text = await this.text(name).catch(() => "");
      if (text.endsWith("\n")) return text.trim();
    }
    throw new Error(`${name} did not appear within ${limitMs} ms`);
  }

  /** Whether a process of the backend is alive. One that has ended and that nobody has looked after yet is not. */
  async isAlive(pid: string): Promise<boolean> {
    if (this.#given.isAlive !== undefined) return this.#given.isAlive(pid);
    const script = 'kill -0 "$1" 2>/dev/null && ! grep -q ") [ZX] " "/proc/$1/stat" 2>/dev/null';
    const { result } = await this.run(["sh", "-c", script, "sh", pid]);
    return result.exitCode === 0;
  }
}

/** Holds that a promise rejects with an error of this code. */
export async function refuses(promise: Promise<unknown>, code: ErrorCode, what = ""): Promise<void> {
  await rejects(promise, (error) => {
    if (!isToolgateError(error)) throw new Error(`${what} rejected with ${String(error)}`, { cause: error });
    deepStrictEqual(error.code, code, `${what}: ${error.message}`);
    return true;
  });
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** By how many bytes this process grows at most while something is done. */
export async function growth(act: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let peak = before;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  const timer = setInterval(look, 10);
  try {
    await act();
    look();
  } finally {
    clearInterval(timer);
  }
  return peak - before;
}

/** One promise that the suite holds a backend to. */
export interface ContractRow {
  readonly title: string;
  readonly test: (world: RowWorld) => Promise<void>;
}
