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
