import { createHmac, randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { ToolgateError } from "../errors.ts";
import { KEY_BYTES, keyFile } from "./key-file.ts";
import { MIGRATIONS, statementsFrom } from "./schema.ts";
import type { Row, SqlDriver, SqlValue, Step } from "./sql-driver.ts";

const DIALECT = { text: "TEXT" };
/** SQLite's result code for "someone else is writing". */
const SQLITE_BUSY = 5;

/** How a database file is opened. */
export interface OpenOptions {
  readonly busyTimeoutMs: number;
  /** Where its key is. */
  readonly keyPath: string;
  readonly migrations?: typeof MIGRATIONS;
}

/**
 * Opens a database file, made with its directory where there is none.
 * @throws ToolgateError `store_corrupt` when it was made with another key: it came from elsewhere, with a clone perhaps
 */
export async function openFile(path: string, options: OpenOptions): Promise<SqlDriver> {
  const { busyTimeoutMs, keyPath, migrations = MIGRATIONS } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Made before SQLite does: others must not read it. SQLite gives the files beside it the same mode.
  closeSync(openSync(path, "a", 0o600));
  const key = keyFile(keyPath);
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${Math.max(0, Math.floor(busyTimeoutMs))}`);
    await useWriteAheadLog(database, busyTimeoutMs);
    return new SqliteDriver(database, key, migrations, path);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a database that ends with this process. */
export async function openMemory(): Promise<SqlDriver> {
  return new SqliteDriver(new DatabaseSync(":memory:"), randomBytes(KEY_BYTES), MIGRATIONS, ":memory:");
}

/** SQLite doesn't wait by itself when several processes change the kind of log at once. */
async function useWriteAheadLog(database: DatabaseSync, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
      await delay(5 + Math.random() * 20);
    }
  }
}

function isBusy(error: unknown): boolean {
  // The lower byte is the result, what is above says more about it.
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

class SqliteDriver implements SqlDriver {
  readonly key: Uint8Array;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isFull: boolean | undefined;

  constructor(database: DatabaseSync, key: Uint8Array, migrations: typeof MIGRATIONS, path: string) {
    this.#database = database;
    this.key = key;
    this.#transaction(() => this.#migrate(migrations, path));
  }

  async rows(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    return this.#statement(sql).all(...values);
  }

  async apply(steps: readonly Step[], mayBeLost = false): Promise<number> {
    this.#waitForDisk(!mayBeLost);
    let failed = -1;
    this.#transaction(() => {
      failed = steps.findIndex(({ sql, values, expect }) => {
        const { changes } = this.#statement(sql).run(...values);
        return expect !== undefined && Number(changes) !== expect;
      });
      return failed < 0;
    });
    return failed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#statements.clear();
    this.#database.close();
  }

  #waitForDisk(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#database.exec(`PRAGMA synchronous = ${isFull ? "FULL" : "NORMAL"}`);
    this.#isFull = isFull;
  }

  /** Does all of it or nothing: nothing when it throws or answers false. */
  #transaction(work: () => boolean): void {
    this.#database.exec("BEGIN IMMEDIATE");
    let done = false;
    try {
      done = work();
    } finally {
      if (this.#database.isTransaction) this.#database.exec(done ? "COMMIT" : "ROLLBACK");
    }
  }

  #migrate(migrations: typeof MIGRATIONS, path: string): boolean {
    const row = this.#database.prepare("PRAGMA user_version").get();
    const version = Number(row?.user_version);
    this.#claim(version === 0, path);
    const statements = statementsFrom(version, DIALECT, migrations);
    for (const statement of statements) this.#database.exec(statement);
    this.#database.exec(`PRAGMA user_version = ${migrations.length}`);
    return true;
  }

  /** Marks a new database as made with this key, and refuses one that wasn't: its sessions and answers aren't this user's. */
  #claim(isNew: boolean, path: string): void {
    const mark = createHmac("sha256", this.key).update("toolgate database").digest().readInt32BE(0);
    if (isNew) this.#database.exec(`PRAGMA application_id = ${mark}`);
    const row = this.#database.prepare("PRAGMA application_id").get();
    if (Number(row?.application_id) === mark) return;
    throw new ToolgateError("store_corrupt", `${path} was made elsewhere, or its key is gone.`, {
      hint: "What it says isn't believed. Move it away; a new one is made.",
    });
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}
