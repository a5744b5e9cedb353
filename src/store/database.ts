import type { Seal } from "./seal.ts";
import type { SqlDriver } from "./sql-driver.ts";

/** What the parts of a store share. */
export interface Database {
  readonly driver: SqlDriver;
  readonly seal: Seal;
  /** ISO 8601, UTC. */
  now(): string;
}
