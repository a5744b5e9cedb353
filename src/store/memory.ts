import type { Store } from "../store.ts";
import { SqlStore } from "./sql-store.ts";

/** How a memory store is made. */
export interface MemoryStoreOptions {
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number;
}

/** A store that ends with its process: for tests, and for sessions that nobody goes on with. */
export function memoryStore({ clock }: MemoryStoreOptions = {}): Store {
  return new SqlStore({
    kind: "memory",
    where: "of this process",
    open: async () => (await import("./sqlite-driver.ts")).openMemory(),
    ...(clock === undefined ? {} : { clock }),
  });
}
