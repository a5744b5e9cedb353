import type { Store } from "../store.ts";
import { SqlStore } from "./sql-store.ts";

/** Where and how a Postgres store is kept. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The schema that holds the tables; made when it is missing. @default "toolgate" */
  readonly schema?: string;
  /** Connections at most. @default 10 */
  readonly maxConnections?: number;
  /** Milliseconds to wait for a connection. @default 10000 */
  readonly connectTimeoutMs?: number;
  /** What approvals are signed with: at least 32 bytes that the database doesn't know. @default a key kept in the database */
  readonly key?: Uint8Array;
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number;
}

/** A store in Postgres, for any number of machines. Needs the package `pg`. Connects when it is first used. */
export function postgresStore(options: PostgresStoreOptions): Store {
  const { clock } = options;
  return new SqlStore({
    kind: "postgres",
    where: withoutPassword(options.url),
    open: async () => (await import("./postgres-driver.ts")).openPostgres(options),
    ...(clock === undefined ? {} : { clock }),
  });
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "(an address that can't be read)";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
