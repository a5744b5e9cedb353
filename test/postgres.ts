import { execFile } from "node:child_process";
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const VERSIONS = "/usr/lib/postgresql";

/** Where Debian's newest Postgres has its programs; `undefined` without one. */
export function postgresPrograms(): string | undefined {
  try {
    const newest = readdirSync(VERSIONS)
      .filter((name) => /^\d+$/.test(name))
      .toSorted((a, b) => Number(b) - Number(a))[0];
    return newest === undefined ? undefined : join(VERSIONS, newest, "bin");
  } catch {
    return undefined;
  }
}

/** A Postgres of a test's own: in a temporary folder, on a free port of the loopback. */
export interface TestPostgres extends AsyncDisposable {
  readonly url: string;
  /** Stops it at once, as a crash would, and starts it again. */
  restart(): Promise<void>;
}

/** Makes a cluster and starts it: about two seconds. */
export async function startPostgres(): Promise<TestPostgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("This machine has no Postgres.");
  const folder = mkdtempSync(join(tmpdir(), "toolgate-pg-"));
  const owner = await postgresUser();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const port = await freePort();
  const start = ["-D", data, "-w", "-l", join(folder, "log"), "-o"];
  const flags = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
  // Postgres refuses to run as root.
  const call = (program: string, args: readonly string[]) =>
    run(join(programs, program), args, { cwd: folder, ...owner, timeout: 60_000 });
  await call("initdb", ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8"]);
  await call("pg_ctl", [...start, flags, "start"]);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async restart() {
      await call("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
      await call("pg_ctl", [...start, flags, "start"]);
    },
    async [Symbol.asyncDispose]() {
      await call("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function postgresUser(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, "postgres"])).stdout)),
  );
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("No port is free.");
}
