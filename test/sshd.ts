import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { testFolder } from "./test-folder.ts";

const PROGRAM = "/usr/sbin/sshd";

/** A real SSH server on this machine, with keys of its own. */
export interface TestSshd {
  readonly port: number;
  readonly user: string;
  /** Holds the keys `client`, `other` (which isn't let in), `host` and `host2`, and the file `known_hosts`. */
  readonly folder: string;
  /** The processes of its sessions, not what they started. */
  sessions(): readonly number[];
  /** Ends every session, as a broken network would. */
  cut(): Promise<void>;
  /** Ends the server and its sessions. */
  stop(): Promise<void>;
  /** Starts it anew at the same port, unless it runs; with another host key if one is named. */
  start(hostKey?: string): Promise<void>;
  dispose(): Promise<void>;
}

/** Whether this machine has an SSH server that tests can start. */
export function hasSshd(): boolean {
  return existsSync(PROGRAM);
}

/** Starts a server at a free port. `lines` are added to its configuration. */
export async function startSshd(lines: readonly string[] = []): Promise<TestSshd> {
  const { folder, remove } = await testFolder();
  for (const name of ["client", "other", "host", "host2"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", join(folder, name)]);
  }
  writeFileSync(join(folder, "authorized_keys"), readFileSync(join(folder, "client.pub")));
  // Where root's server keeps what it runs without rights; the system makes it at its start.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  const port = await freePort();
  writeFileSync(join(folder, "known_hosts"), `[127.0.0.1]:${port} ${publicKey(folder, "host")}\n`);
  let server: ChildProcess | undefined;
  const isUp = (): boolean => server !== undefined && server.exitCode === null && server.signalCode === null;
  const start = async (hostKey = "host"): Promise<void> => {
    if (isUp()) return;
    const config = join(folder, "sshd_config");
    const usual = [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${join(folder, hostKey)}`,
      `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
      `PidFile ${join(folder, "pid")}`,
      "StrictModes no",
      "PasswordAuthentication no",
      "UsePAM no",
      "MaxStartups 100",
      // So that bash doesn't take itself for a login and run the tester's own start file.
      "SetEnv SHLVL=1",
    ];
    writeFileSync(config, [...lines, ...usual, ""].join("\n"));
    server = spawn(PROGRAM, ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "ignore"] });
    await listening(port);
  };
  const sessions = (): readonly number[] => (server?.pid === undefined ? [] : sessionsOf(server.pid));
  const cut = async (): Promise<void> => {
    const pids = sessions();
    killAll(pids);
    while (pids.some((pid) => existsSync(`/proc/${pid}/cwd`))) await setTimeout(10);
  };
  const stop = async (): Promise<void> => {
    if (server === undefined || !isUp()) return;
    const pids = sessions();
    server.kill("SIGKILL");
    await once(server, "exit");
    killAll(pids);
  };
  await start();
  return {
    port,
    user: userInfo().username,
    folder,
    sessions,
    cut,
    stop,
    start,
    async dispose() {
      await stop();
      await remove();
    },
  };
}

/** Type and key of a public key file. */
export function publicKey(folder: string, name: string): string {
  return readFileSync(join(folder, `${name}.pub`), "utf8")
    .split(" ")
    .slice(0, 2)
    .join(" ");
}

/** The processes of a server's sessions, not what they started. */
function sessionsOf(server: number): readonly number[] {
  const found: number[] = [server];
  const rows = readdirSync("/proc").flatMap((pid) => {
    try {
      const stat = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
      const [, name = "", parent = ""] = /^\d+ \((.*)\) \S (\d+)/.exec(stat) ?? [];
      return name === "sshd" ? [{ pid: Number(pid), parent: Number(parent) }] : [];
    } catch {
      // It has just ended.
      return [];
    }
  });
  for (let before = -1; before !== found.length; ) {
    before = found.length;
    for (const row of rows) if (found.includes(row.parent) && !found.includes(row.pid)) found.push(row.pid);
  }
  return found.slice(1);
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function listening(port: number): Promise<void> {
  for (const deadline = Date.now() + 5000; Date.now() < deadline; await setTimeout(20)) {
    const socket = connect(port, "127.0.0.1");
    const answered = await Promise.race([once(socket, "connect"), once(socket, "error")]).then(
      () => !socket.connecting && socket.remotePort === port,
      () => false,
    );
    socket.destroy();
    if (answered) return;
  }
  throw new Error("sshd did not start");
}
