import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { ToolgateError } from "../../errors.ts";
import { patiently } from "./failures.ts";
import { DEFAULT_SCHEMA, type PostgresJobsOptions } from "./options.ts";
import { VERSIONS } from "./schema.ts";

/** What a column can hold. */
export type Value = string | number | boolean | null | readonly (string | null)[] | readonly number[];

/** A row as it comes. */
export type Row = Readonly<Record<string, unknown>>;

/** What statements are run on: a connection in a transaction, or any. */
export interface Queries {
  /** A statement; `$jobs.` in it stands for the schema. It is prepared under its name, once a connection. */
  rows(name: string, sql: string, values: readonly Value[]): Promise<readonly Row[]>;
}

/** A connection in a transaction. */
export interface Transaction extends Queries {
  readonly client: PoolClient;
}

/** Held while tables are made or changed: one process does it, the others wait. Any number that nobody else uses. */
const MIGRATION_LOCK = 7_004_113_822;

/** The jobs' database. */
export class Database implements Queries {
  readonly pool: Pool;
  readonly schema: string;

  constructor(pool: Pool, schema: string) {
    this.pool = pool;
    this.schema = schema;
  }

  rows(name: string, sql: string, values: readonly Value[]): Promise<readonly Row[]> {
    return patiently(async () => {
      const { rows } = await this.pool.query<Row>(this.#query(name, sql, values));
      return rows;
    });
  }

  /** Runs work in a transaction, again after a deadlock or a lost connection: it has to be safe to do again. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return patiently(async () => {
      const client = await this.pool.connect();
      let broken: Error | undefined;
      try {
        await client.query("BEGIN");
        const rows: Queries["rows"] = async (name, sql, values) =>
          (await client.query<Row>(this.#query(name, sql, values))).rows;
        const result = await work({ client, rows });
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK").catch((why: Error) => {
          broken = why;
        });
        throw error;
      } finally {
        // A connection that can't even roll back is not given to the next.
        client.release(broken);
      }
    });
  }

  #query(
    name: string,
    sql: string,
    values: readonly Value[],
  ): { readonly name: string; readonly text: string; readonly values: unknown[] } {
    return {
      name: `toolgate ${name}`,
      text: sql.replaceAll("$jobs.", `${this.schema}.`),
      values: [...values],
    };
  }
}

/**
 * Connects, and makes or brings forward the tables.
 * @throws ToolgateError `usage`, `missing_dependency`, `store_unavailable`, `unsupported`
 */
export async function openDatabase(
  options: PostgresJobsOptions,
  prepare: (schema: string) => Promise<void>,
): Promise<Database> {
  const {
    databaseUrl,
    schema = DEFAULT_SCHEMA,
    maxConnections: max = 10,
    connectTimeoutMs = 10_000,
  } = options;
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) {
    throw new ToolgateError("usage", `${JSON.stringify(schema)} is no schema name.`, {
      hint: "Use small letters, digits and _ only.",
    });
  }
  const { Pool: Connections } = await loadPg();
  const pool = new Connections({
    connectionString: databaseUrl,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: "toolgate jobs",
  });
  // A connection that breaks while nobody uses it is replaced; whoever uses one is told by the query.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  try {
    await patiently(() => migrate(pool, schema, prepare), connectTimeoutMs);
    return new Database(pool, schema);
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** @throws ToolgateError `missing_dependency` */
export async function loadPg(): Promise<Pick<typeof import("pg"), "Pool" | "Client">> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw new ToolgateError("missing_dependency", "Jobs in Postgres need the package pg.", {
      hint: "Install it: npm install pg.",
      cause: error,
    });
  }
}

async function migrate(
  pool: Pool,
  schema: string,
  prepare: (schema: string) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    if ((await versionOf(client, schema)) === VERSIONS.length) return;
    await lock(client);
    try {
      await prepare(`${schema}_dbos`);
      await bringForward(client, schema);
    } finally {
      await client.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    }
  } finally {
    client.release();
  }
}

/**
 * For the session, not a transaction: the dispatch makes its tables on connections of its own. Asked for again and again, since
 * the indexes that it makes wait for every statement that is under way, a wait for the lock too.
 */
async function lock(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<Row>("SELECT pg_try_advisory_lock($1) AS mine", [MIGRATION_LOCK]);
    if (rows[0]?.mine === true) return;
    await sleep(100);
  }
}

async function bringForward(client: PoolClient, schema: string): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(`SET LOCAL search_path TO ${schema}`);
    await client.query("CREATE TABLE IF NOT EXISTS meta (version INT NOT NULL)");
    const version = await versionOf(client, schema);
    for (const statement of VERSIONS.slice(version).flat()) await client.query(statement);
    await client.query("DELETE FROM meta");
    await client.query("INSERT INTO meta (version) VALUES ($1)", [VERSIONS.length]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function versionOf(client: PoolClient, schema: string): Promise<number> {
  const table = `${schema}.meta`;
  const { rows: found } = await client.query<Row>("SELECT to_regclass($1) IS NOT NULL AS here", [table]);
  if (found[0]?.here !== true) return 0;
  const { rows } = await client.query<Row>(`SELECT version FROM ${table}`);
  const version = Number(rows[0]?.version ?? 0);
  if (version <= VERSIONS.length) return version;
  throw new ToolgateError("unsupported", "The jobs' tables were made by a newer toolgate.", {
    hint: "Update this one.",
  });
}
