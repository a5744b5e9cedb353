import { randomBytes } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { ToolgateError } from "../errors.ts";
import { KEY_BYTES } from "./key-file.ts";
import { isBroken, isPassing, patiently } from "./passing.ts";
import type { PostgresStoreOptions } from "./postgres-options.ts";
import { MIGRATIONS, statementsFrom } from "./schema.ts";
import type { Row, SqlDriver, SqlValue, Step } from "./sql-driver.ts";

/** Ids and times are compared byte by byte, whatever the database's language. */
const DIALECT = { text: 'TEXT COLLATE "C"' };
/** Held while tables are made or changed: one process does it, the others wait. Any number that nobody else uses. */
const MIGRATION_LOCK = 7_004_113_821;

/** Connects, and makes or brings forward the tables. @throws ToolgateError `usage`, `missing_dependency`, `unsupported` */
export async function openPostgres(
  options: PostgresStoreOptions,
  migrations: typeof MIGRATIONS = MIGRATIONS,
): Promise<SqlDriver> {
  const { url, schema = "toolgate", maxConnections: max = 10, connectTimeoutMs = 10_000, key } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new ToolgateError("usage", `${JSON.stringify(schema)} is no schema name.`, {
      hint: "Use small letters, digits and _ only.",
    });
  }
  if (key !== undefined && key.length < KEY_BYTES) {
    throw new ToolgateError("usage", `The store's key has ${key.length} bytes; ${KEY_BYTES} are the least.`);
  }
  const Connections = await load();
  const pool = new Connections({ connectionString: url, max, connectionTimeoutMillis: connectTimeoutMs });
  // A connection that breaks while nobody uses it is replaced; whoever uses one is told by the query.
  pool.on("error", () => undefined);
  try {
    const kept = await prepare(pool, schema, migrations);
    return new PostgresDriver(pool, schema, key ?? kept);
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function load(): Promise<typeof Pool> {
  try {
    const { default: pg } = await import("pg");
    return pg.Pool;
  } catch (error) {
    throw new ToolgateError("missing_dependency", "A Postgres store needs the package pg.", {
      hint: "Install it: npm install pg.",
      cause: error,
    });
  }
}

/** Makes or brings forward the tables, and answers the key that is kept in them. */
function prepare(pool: Pool, schema: string, migrations: typeof MIGRATIONS): Promise<Uint8Array> {
  return transaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(`SET LOCAL search_path TO ${schema}`);
    await client.query(`CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)`);
    const version = Number(await metaValue(client, "version", "0"));
    for (const statement of statementsFrom(version, DIALECT, migrations)) await client.query(statement);
    await client.query("UPDATE meta SET value = $1 WHERE name = 'version'", [String(migrations.length)]);
    return Buffer.from(await metaValue(client, "key", randomBytes(KEY_BYTES).toString("hex")), "hex");
  });
}

/** A value that is kept; `first` when there was none. */
async function metaValue(client: PoolClient, name: string, first: string): Promise<string> {
  await client.query("INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", [name, first]);
  const { rows } = await client.query<Row>("SELECT value FROM meta WHERE name = $1", [name]);
  return String(rows[0]?.value);
}

/** Runs work in a transaction: kept when it settles, undone when it rejects. */
async function transaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await work(client);
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
}

/** Thrown to undo a transaction. */
class Undone extends Error {
  readonly step: number;

  constructor(step: number) {
    super("A step changed another number of rows than it had to.");
    this.step = step;
  }
}

/** The connection broke off while something was being kept, and what is there now doesn't tell whether it was. */
class InDoubt extends Error {
  constructor(cause: unknown) {
    super("the connection broke off; what was to be kept may have been", { cause });
  }
}

/** What fails because the server is away for a moment is tried again: a restart of it mustn't end what hours of work have come to. */
class PostgresDriver implements SqlDriver {
  readonly key: Uint8Array;
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #texts = new Map<string, string>();

  constructor(pool: Pool, schema: string, key: Uint8Array) {
    this.#pool = pool;
    this.#schema = schema;
    this.key = key;
  }

  rows(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return patiently(async () => (await this.#pool.query<Row>(this.#text(sql), [...values])).rows);
  }

  async apply(steps: readonly Step[]): Promise<number> {
    let broken: unknown;
    return patiently(async () => {
      try {
        const at = await this.#applyOnce(steps);
        // Where a try broke off, it may be that one which is in this one's way.
        if (at >= 0 && broken !== undefined) throw new InDoubt(broken);
        return at;
      } catch (error) {
        if (isBroken(error)) broken = error;
        else if (broken !== undefined && !isPassing(error) && !(error instanceof InDoubt))
          throw new InDoubt(broken);
        throw error;
      }
    });
  }

  async #applyOnce(steps: readonly Step[]): Promise<number> {
    const [only] = steps;
    // One statement is a transaction by itself, and one that changed nothing has nothing to undo.
    if (steps.length === 1 && only !== undefined && only.expect === 1) {
      const { rowCount } = await this.#pool.query(this.#text(only.sql), [...only.values]);
      return rowCount === 1 ? -1 : 0;
    }
    try {
      await transaction(this.#pool, async (client) => {
        for (const [at, { sql, values, expect }] of steps.entries()) {
          const { rowCount } = await client.query(this.#text(sql), [...values]);
          if (expect !== undefined && rowCount !== expect) throw new Undone(at);
        }
      });
      return -1;
    } catch (error) {
      if (error instanceof Undone) return error.step;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  /** The statement as Postgres wants it: numbered parameters, tables by their schema. */
  #text(sql: string): string {
    const known = this.#texts.get(sql);
    if (known !== undefined) return known;
    let at = 0;
    const made = sql
      .replaceAll("?", () => `$${++at}`)
      .replaceAll(/\b(FROM|INTO|UPDATE) (sessions|approvals|calls)\b/g, `$1 ${this.#schema}.$2`);
    this.#texts.set(sql, made);
    return made;
  }
}
