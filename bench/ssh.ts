import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { sshBackend } from "../src/backends/ssh.ts";
import { startSshd, type TestSshd } from "../test/sshd.ts";
import {
  AT_A_TIME,
  command,
  comparing,
  FILES,
  grep,
  MEGABYTES,
  many,
  NEEDLE,
  oneByOne,
  plant,
} from "./in-place.ts";
import type { Row } from "./table.ts";

const compare = comparing("ssh");

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
    return [
      await compare(
        "a command over SSH",
        { times: 20 },
        oneByOne("ours", () => command(backend)),
        oneByOne("ssh", () => client.run("true")),
      ),
      await compare(
        `${AT_A_TIME} commands at a time over SSH`,
        {},
        oneByOne("ours", () => many(() => command(backend))),
        oneByOne("ssh", () => many(() => client.run("true"))),
      ),
      await compare(
        `Read of ${MEGABYTES} MB over SSH`,
        { times: 3 },
        oneByOne("ours", () => backend.readFile(join(root, "large"))),
        oneByOne("ssh", () => client.run(`cat ${root}/large`)),
      ),
      await compare(
        `Grep on ${FILES} files over SSH`,
        {},
        oneByOne("ours", () => grep(backend)),
        oneByOne("ssh", () => client.run(`cd ${root} && ${rgPath} -l ${NEEDLE} .`)),
      ),
    ];
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
