import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { copyFile, mkdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The program that is tried here. */
export const PROGRAM: string = resolve(import.meta.dirname, "../../bin/toolgate");

/** A folder of its own with a project and a home in it, so that nothing of this machine's user counts. */
export class Playground implements Disposable {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-e2e-")));
  readonly project: string = join(this.root, "project");
  readonly home: string = join(this.root, "home");

  async make(): Promise<this> {
    await mkdir(join(this.project, ".git"), { recursive: true });
    await mkdir(this.home);
    return this;
  }

  get env(): Record<string, string> {
    const { PATH = "" } = process.env;
    return { PATH, HOME: this.home, XDG_STATE_HOME: join(this.home, "state"), NO_COLOR: "1" };
  }

  /** Starts the program in the project. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [PROGRAM, ...args], { cwd: this.project, env: { ...this.env, ...env } });
  }

  /** Runs the program to its end, from a checkout that a Node said to be too old is to start with a newer one. */
  async underOldNode(args: readonly string[]): Promise<Ended> {
    const root = dirname(dirname(PROGRAM));
    const checkout = join(this.root, "checkout");
    for (const folder of ["bin", "node_modules/.bin"])
      await mkdir(join(checkout, folder), { recursive: true });
    const program = join(checkout, "bin", "toolgate");
    await copyFile(PROGRAM, program);
    await symlink(join(root, "dist"), join(checkout, "dist"));
    await symlink(join(root, "src"), join(checkout, "src"));
    await symlink(process.execPath, join(checkout, "node_modules", ".bin", "node"));
    const old = '{ value: { ...process.versions, node: "20.0.0" } }';
    const code = `if (!process.env.TOOLGATE_RESTARTED) Object.defineProperty(process, "versions", ${old});`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const env = { ...this.env, NODE_OPTIONS };
    return endOf(spawn(process.execPath, [program, ...args], { cwd: this.project, env }));
  }

  /** Runs the program to its end. */
  run(args: readonly string[], input = "", env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return endOf(this.start(args, env), input);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

async function endOf(child: ChildProcessWithoutNullStreams, input = ""): Promise<Ended> {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  child.stdin.on("error", () => undefined); // It may end without reading all.
  child.stdin.end(input);
  const code = await exitOf(child);
  return { code, ...output };
}

/** How a run ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process's exit code, once its streams are closed too. */
export function exitOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((done) => child.once("close", done));
}

/** Waits until something holds; a test must not hang when it never does. */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not so after ${timeoutMs} ms.`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** True while a process runs. One that has ended and that nobody has collected yet doesn't. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}
