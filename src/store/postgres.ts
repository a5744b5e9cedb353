import type { Store } from "../store.ts";
import type { PostgresStoreOptions } from "./postgres-options.ts";
import { SqlStore } from "./sql-store.ts";

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
