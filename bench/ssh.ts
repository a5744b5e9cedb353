import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { sshBackend } from "../src/backends/ssh.ts";
import { startSshd, type TestSshd } from "../test/sshd.ts";
import { NEEDLE, placeRows, plant } from "./in-place.ts";
import type { Row } from "./table.ts";

/** Work on a machine that is reached by SSH, against OpenSSH's own client over a connection that stays open. */
export async function rows(): Promise<Row[]> {
  const sshd = await startSshd();
  const root = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  const client = openClient(sshd);
  const backend = await sshBackend({
    host: "127.0.0.1",
    port: sshd.port,
    user: sshd.user,
    path: root,
    identityFiles: [join(sshd.folder, "client")],
    knownHosts: [join(sshd.folder, "known_hosts")],
    agent: false,
    config: false,
  });
  try {
    plant(root);
    const bare = {
      name: "ssh",
      command: () => client.run("true"),
      read: () => client.run(`cat ${root}/large`),
      grep: () => client.run(`cd ${root} && ${rgPath} -l ${NEEDLE} .`),
    };
    return await placeRows("over SSH", backend, bare, 20);
  } finally {
    await backend[Symbol.asyncDispose]();
    client.close();
    await sshd.dispose();
    rmSync(root, { recursive: true, force: true });
  }
}

/** OpenSSH's client, its connection open. */
function openClient({ port, user, folder }: TestSshd): {
  run(command: string): Promise<void>;
  close(): void;
} {
  const socket = join(folder, "control");
  const options = [
    ...["-F", "none", "-S", socket, "-o", "ControlMaster=auto", "-o", "ControlPersist=60"],
    ...["-o", `UserKnownHostsFile=${join(folder, "known_hosts")}`, "-i", join(folder, "client")],
    ...["-p", String(port), `${user}@127.0.0.1`],
  ];
  execFileSync("ssh", [...options, "true"], { stdio: "ignore" });
  return {
    run: (command) =>
      new Promise((done, fail) => {
        const child = spawn("ssh", [...options, command], { stdio: ["ignore", "pipe", "pipe"] });
        child.stdout.resume();
        child.stderr.resume();
        child.on("error", fail).on("close", (code) => {
          if (code === 0) done();
          else fail(new Error(`ssh ended with ${code}: ${command}`));
        });
      }),
    close: () => void execFileSync("ssh", [...options, "-O", "exit"], { stdio: "ignore" }),
  };
}
