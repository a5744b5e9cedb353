import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { ToolgateError } from "../errors.ts";
import type { MaybePromise } from "../lib/json.ts";
import { Turns } from "../lib/turns.ts";
import { isBusy } from "./sqlite-failure.ts";

/** Nobody writes for so long: who holds it hangs. */
const LONGEST_MS = 60_000;

/**
 * One at a time, over all processes of this machine that use the same directory. What the system locks it lets go of when a process
 * ends, however it ends. Without a directory, or one that can't be made, it is only one at a time in this process.
 */
export class PlaceLock {
  readonly #directory: string | undefined;
  readonly #turns = new Turns();
  #database: Promise<DatabaseSync | undefined> | undefined;

  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  /** @throws ToolgateError `timeout` when somebody else keeps it; the signal's reason when that aborts before its turn */
  hold<T>(work: () => MaybePromise<T>, signal: AbortSignal): Promise<T> {
    return this.#turns.take(async () => {
      this.#database ??= this.#open();
      const database = await this.#database;
      if (database !== undefined) await enter(database, signal);
      try {
        return await work();
      } finally {
        if (database?.isTransaction) database.exec("ROLLBACK");
      }
    }, signal);
  }

  async #open(): Promise<DatabaseSync | undefined> {
    if (this.#directory === undefined) return undefined;
    const { DatabaseSync } = await import("node:sqlite");
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      const database = new DatabaseSync(join(this.#directory, "lock.db"));
      // Nothing is ever written to it: that it can be begun is the lock.
      database.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK");
      return database;
    } catch (error) {
      if (isBusy(error)) return new DatabaseSync(join(this.#directory, "lock.db"));
      return undefined;
    }
  }
}

async function enter(database: DatabaseSync, signal: AbortSignal): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  for (;;) {
    try {
      database.exec("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > end) {
        throw new ToolgateError("timeout", "Another process has been writing to the memory for a minute.", {
          hint: "Nothing was changed. Try again later.",
          cause: error,
        });
      }
      await delay(1 + Math.random() * 8, undefined, { signal });
    }
  }
}
