import { resolve } from "node:path";
import type { Store } from "../store.ts";
import { SqlStore } from "./sql-store.ts";

/** Where and how a SQLite store is kept. */
export interface SqliteStoreOptions {
  /** The database file; its directory is made. @default ".toolgate/state.db" */
  readonly path?: string;
  /**
   * The file with the key that signs what the database holds. Keep it where nobody else puts files, if the database lies in a folder
   * that may come from elsewhere. @default beside the database, `state.key` for `state.db`
   */
  readonly keyPath?: string;
  /** Milliseconds to wait while another process writes. @default 5000 */
  readonly busyTimeoutMs?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number;
}

/** A store in one file, for any number of processes on this machine. Opened when it is first used. */
export function sqliteStore(options: SqliteStoreOptions = {}): Store {
  const { path = ".toolgate/state.db", busyTimeoutMs = 5000, clock } = options;
  const where = resolve(path);
  const keyPath = options.keyPath ?? `${where.replace(/\.db$/, "")}.key`;
  return new SqlStore({
    kind: "sqlite",
    where,
    open: async () => (await import("./sqlite-driver.ts")).openFile(where, { busyTimeoutMs, keyPath }),
    ...(clock === undefined ? {} : { clock }),
  });
}
