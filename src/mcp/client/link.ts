import type { Transport } from "@modelcontextprotocol/client";

/** Bytes of one message of a server's. */
export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024;

/** One way to a server, for one connection. */
export interface Link {
  readonly transport: Transport;
  /** The last words of a server that was started here, for an error about it; empty when it said nothing. */
  lastWords(): string;
  /** Ends it; for a server that was started here, settles when all its processes have ended. */
  close(): Promise<void>;
}
