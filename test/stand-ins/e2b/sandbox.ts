import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";

/** One sandbox: bubblewrap around a root folder of its own, with the stand-in for envd as its first program. */
export interface SandboxMachine {
  /** Where its envd listens. */
  readonly socket: string;
  /** Holds every process of it still, or lets them go on. */
  freeze(): void;
  thaw(): void;
  /** Ends everything in it; the root folder stays. */
  stop(): Promise<void>;
  /** Ends everything and removes the root folder. */
  destroy(): Promise<void>;
}

const START_MS = 20_000;
/** As much as /mnt/small can hold: a disk to be filled. */
const SMALL_BYTES = 4 * 1024 * 1024;
const PASSWD = "root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\n";

/** Starts a sandbox; `token` is what its envd wants to see. */
export async function startMachine(
  token: string,
  envs: Readonly<Record<string, string>>,
): Promise<SandboxMachine> {
  const folder = await mkdtemp(join(tmpdir(), "toolgate-e2b-"));
  const [root, run] = [join(folder, "root"), join(folder, "run")];
  await makeRoot(root);
  await mkdir(run);
  const bwrap = spawn(
    "bwrap",
    [
      ...bwrapOptions(root, run, envs),
      "/opt/envd/node",
      "/opt/envd/source/envd-child.ts",
      "/run/envd/socket",
      token,
    ],
    {
      stdio: ["ignore", "pipe", "inherit"],
      // It would read its options from there.
      env: {},
    },
  );
  const ended = new Promise<void>((resolve) => {
    bwrap.once("exit", () => resolve());
  });
  await ready(bwrap);
  const stop = async (): Promise<void> => {
    signalTree(bwrap.pid, "SIGKILL");
    bwrap.kill("SIGKILL");
    await ended;
  };
  return {
    socket: join(run, "socket"),
    freeze: () => signalTree(bwrap.pid, "SIGSTOP"),
    thaw: () => signalTree(bwrap.pid, "SIGCONT"),
    stop,
    async destroy() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeRoot(root: string): Promise<void> {
  for (const name of [
    "home/user",
    "etc",
    "tmp",
    "var/tmp",
    "opt/envd/source",
    "opt/bin",
    "run/envd",
    "mnt/small",
    "usr",
  ]) {
    await mkdir(join(root, name), { recursive: true });
  }
  for (const name of ["bin", "sbin", "lib", "lib64"]) await symlink(`usr/${name}`, join(root, name));
  await writeFile(join(root, "etc/passwd"), PASSWD);
  await writeFile(join(root, "etc/group"), "root:x:0:\nuser:x:1000:\n");
  await writeFile(join(root, "etc/profile"), 'echo "Welcome to the stand-in!"\nPATH="$PATH:/opt/bin"\n');
}

function bwrapOptions(root: string, run: string, envs: Readonly<Record<string, string>>): readonly string[] {
  const variables = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: "/home/user",
    USER: "user",
    LOGNAME: "user",
    ...envs,
  };
  return [
    ...[
      "--unshare-all",
      "--unshare-user",
      "--uid",
      "1000",
      "--gid",
      "1000",
      "--hostname",
      "e2b",
      "--die-with-parent",
    ],
    ...["--bind", root, "/", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"],
    ...["--size", String(SMALL_BYTES), "--tmpfs", "/mnt/small", "--bind", run, "/run/envd"],
    ...[
      "--ro-bind",
      process.execPath,
      "/opt/envd/node",
      "--ro-bind",
      import.meta.dirname,
      "/opt/envd/source",
    ],
    ...["--ro-bind", rgPath, "/opt/bin/rg"],
    // Debian keeps the choice between equal programs there, awk for one.
    ...(existsSync("/etc/alternatives") ? ["--ro-bind", "/etc/alternatives", "/etc/alternatives"] : []),
    ...["--clearenv", ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value])],
    ...["--chdir", "/home/user", "--"],
  ];
}

function ready(bwrap: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The sandbox did not start.")), START_MS);
    bwrap.once("exit", (code) => reject(new Error(`bwrap ended with ${code}.`)));
    bwrap.once("error", reject);
    bwrap.stdout?.once("data", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A signal to everything below a process. What has left its parents hangs on the first process of the sandbox. */
function signalTree(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  for (const child of childrenOf(pid)) {
    signalTree(child, signal);
    try {
      process.kill(child, signal);
    } catch {
      // It ended on its own.
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text
      .split(" ")
      .filter((word) => word !== "")
      .map(Number);
  } catch {
    return [];
  }
}
