import type { AuditEntry, AuditLog, AuditRecord } from "../audit.ts";
import { type ChainHead, EMPTY_HEAD, openLine, seal } from "./chain.ts";
import { redactEntry } from "./redact-entry.ts";

/** A log that lives with the process: for tests and for libraries that keep records themselves. */
export interface MemoryAuditLog extends AuditLog {
  /** The records that are kept, oldest first. */
  readonly records: readonly AuditRecord[];
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly time: number;
}

/**
 * Makes a {@link MemoryAuditLog}: redacted and chained as the file log is. Keeps the newest `maxRecords`. Nobody outside the
 * process can change what it holds, so entries are chained when they are read; what is dropped before is only counted, and
 * the chain begins anew behind it. @default 10000
 */
export function memoryAuditLog(maxRecords = 10_000): MemoryAuditLog {
  let records: readonly AuditRecord[] = [];
  let waiting: Waiting[] = [];
  let head: ChainHead = EMPTY_HEAD;
  const drop = (): void => {
    const dropped = waiting.length - maxRecords;
    if (dropped <= 0) return;
    waiting = waiting.slice(dropped);
    records = [];
    head = { seq: head.seq + dropped, hash: EMPTY_HEAD.hash };
  };
  return {
    get records(): readonly AuditRecord[] {
      drop();
      const fresh = waiting.flatMap(({ entry, time }) => {
        const sealed = seal(entry, head, new Date(time).toISOString());
        head = sealed.head;
        return openLine(sealed.line)?.record ?? [];
      });
      waiting = [];
      records = [...records, ...fresh].slice(-maxRecords);
      return records;
    },
    append(entry: AuditEntry): void {
      waiting.push({ entry: redactEntry(entry), time: Date.now() });
      if (waiting.length >= 2 * maxRecords) drop();
    },
    async [Symbol.asyncDispose](): Promise<void> {},
  };
}
