import type { RetentionOptions } from "../engine.ts";

/** @default see {@link PostgresJobsOptions.schema} */
export const DEFAULT_SCHEMA = "toolgate_jobs";

/** Where jobs are kept, and for how long. */
export interface PostgresJobsOptions extends RetentionOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string;
  /** The tables' schema; the dispatch's tables are in the one of this name with `_dbos` after it. @default "toolgate_jobs" */
  readonly schema?: string;
  /** Connections at most, besides the one that shows that this process is alive. @default 10 */
  readonly maxConnections?: number;
  /** @default 10000 */
  readonly connectTimeoutMs?: number;
}
