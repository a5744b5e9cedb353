import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Channel, openChannel } from "../../../src/backends/local/channel.ts";
import type { Fifo, FifoPool } from "../../../src/backends/local/fifo.ts";
import type { Group } from "./cgroup.ts";

/** What a container is made of. */
export interface ContainerSetup {
  /** Folders of this machine, by where the container sees them. */
  readonly mounts: ReadonlyMap<string, string>;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly uid: number;
  readonly gid: number;
  readonly hostname: string;
  readonly group: Group | undefined;
}

/** A program that runs in a container, by its streams. */
export interface Running {
  readonly stdout: Channel;
  readonly stderr: Channel;
  readonly process: ChildProcess;
  /** `undefined` when the program has no input. */
  readonly stdin: Socket | undefined;
}

/** How much of what the main process says is kept. */
const LOG_CHARACTERS = 4000;
/** What the image holds of this machine: its programs, and of its settings the harmless ones. */
const IMAGE = ["passwd", "group", "nsswitch.conf", "ld.so.cache", "alternatives", "localtime", "ssl"].map(
  (name) => `/etc/${name}`,
);

/**
 * A container made by bubblewrap: name spaces of its own, the pod's volumes, an ordinary user without capabilities. Programs join it
 * through `nsenter`, as a container runtime does it, and outlive the connection that started them.
 */
export class Container {
  readonly #setup: ContainerSetup;
  readonly #pool: FifoPool;
  readonly #main: ChildProcess;
  readonly #first: Promise<number>;
  /** True when it was taken away together with the connections into it. */
  lost = false;
  /** What the main process has said. */
  log = "";
  /** The main process's exit code, or 128 and the signal's number; when everything in the container is gone. */
  readonly ended: Promise<number>;

  constructor(setup: ContainerSetup, pool: FifoPool) {
    this.#setup = setup;
    this.#pool = pool;
    const argv = intoGroup(setup.group, ["bwrap", ...bwrapArguments(setup)]);
    const [program = "", ...args] = argv;
    this.#main = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      env: { ...setup.env, PATH: process.env.PATH },
    });
    for (const stream of [this.#main.stdout, this.#main.stderr]) {
      stream?.on("data", (bytes: Buffer) => {
        this.log = `${this.log}${bytes.toString()}`.slice(-LOG_CHARACTERS);
      });
    }
    this.#first = firstProcess(this.#main);
    this.#first.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      this.#main.on("error", () => resolve(128));
      this.#main.on("exit", (code, signal) => resolve(code ?? (signal === "SIGKILL" ? 137 : 143)));
    });
  }

  /** Resolves when programs can be started in it. */
  async started(): Promise<void> {
    const exe = `/proc/${await this.#first}/exe`;
    // Until bubblewrap has become the main process, the file system isn't all there.
    while (readlinkSync(exe).endsWith("/bwrap")) await pause(2);
  }

  /** Whether the kernel has ended a process of it for want of memory: a cluster of today then ends the whole container. */
  get starved(): boolean {
    return (this.#setup.group?.outOfMemory() ?? 0) > 0;
  }

  /** Signals the main process; KILL takes everything in the container with it. */
  async kill(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    try {
      process.kill(await this.#first, signal);
    } catch {
      // It has ended by itself, or never began.
    }
  }

  /** Starts a program in the container. */
  async exec(argv: readonly string[], hasInput: boolean): Promise<Running> {
    const target = String(await this.#first);
    const { cwd, env, group } = this.#setup;
    // As the pod's own processes, which bubblewrap starts so.
    const join = [
      "setpriv",
      "--no-new-privs",
      "nsenter",
      "--target",
      target,
      "--user",
      "--preserve-credentials",
      "--mount",
      "--pid",
    ];
    const [program = "", ...args] = intoGroup(group, [
      ...[...join, "--net", "--ipc", "--uts", `--wdns=${cwd}`, "--"],
      ...argv,
    ]);
    const [stdout, stderr] = [openChannel(this.#pool), openChannel(this.#pool)];
    const input = hasInput ? openInput(this.#pool) : undefined;
    const child = spawn(program, args, {
      stdio: [input?.child ?? "ignore", stdout.stdio, stderr.stdio],
      env,
    });
    if (input !== undefined) {
      closeSync(input.child);
      child.on("exit", () => closeSync(input.fifo.anchor));
    }
    return { stdout, stderr, process: child, stdin: input?.socket };
  }
}

function bwrapArguments({ mounts, argv, cwd, uid, gid, hostname }: ContainerSetup): string[] {
  return [
    ...["--unshare-user", "--uid", String(uid), "--gid", String(gid)],
    ...["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--hostname", hostname],
    ...["--ro-bind", "/usr", "/usr", ...["bin", "lib", "sbin"].flatMap((name) => link(name))],
    ...["--ro-bind-try", "/usr/lib64", "/lib64", "--dir", "/var", "--dir", "/root"],
    ...IMAGE.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...[...mounts].flatMap(([inside, outside]) => ["--bind", outside, inside]),
    ...["--remount-ro", "/", "--info-fd", "3", "--as-pid-1", "--die-with-parent", "--new-session"],
    ...["--chdir", cwd, "--", ...argv],
  ];
}

function link(name: string): string[] {
  return ["--symlink", `usr/${name}`, `/${name}`];
}

/** The command line that starts a program under the container's limits. */
function intoGroup(group: Group | undefined, argv: readonly string[]): readonly string[] {
  if (group === undefined) return argv;
  const gone = '{ echo "nsenter: the container is gone" >&2; exit 1; }';
  const script = `for list in $1; do { echo 0 > "$list"; } 2>/dev/null || ${gone}; done; shift; exec "$@"`;
  return ["/bin/sh", "-c", script, "sh", group.lists.join(" "), ...argv];
}

/** This machine's id of the container's first process, as bubblewrap tells it. */
function firstProcess(main: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let told = "";
    const info = main.stdio[3];
    if (!(info instanceof Socket)) return reject(new Error("bubblewrap has no way to tell"));
    info.on("data", (bytes: Buffer) => {
      told += bytes.toString();
    });
    info.on("close", () => {
      const pid = Number(/"child-pid": (\d+)/.exec(told)?.[1]);
      if (Number.isInteger(pid)) resolve(pid);
      else reject(new Error("The container didn't start."));
    });
    main.on("error", reject);
  });
}

/** A real pipe for a program's input, since a socket can't be opened as `/dev/stdin`. */
function openInput(pool: FifoPool): { child: number; socket: Socket; fifo: Fifo } | undefined {
  const fifo = pool.take();
  if (fifo === undefined) return undefined;
  const path = `/proc/self/fd/${fifo.anchor}`;
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const child = openSync(path, constants.O_RDONLY);
  const socket = new Socket({ fd, readable: false, writable: true });
  socket.on("error", () => undefined);
  return { child, socket, fifo };
}
