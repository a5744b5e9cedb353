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
 * process can change what it holds, so entries are chained only when they are read or leave it. @default 10000
 */
export function memoryAuditLog(maxRecords = 10_000): MemoryAuditLog {
  const records: AuditRecord[] = [];
  let waiting: Waiting[] = [];
  let head: ChainHead = EMPTY_HEAD;
  const chain = (): void => {
    for (const { entry, time } of waiting) {
      const sealed = seal(entry, head, new Date(time).toISOString());
      const record = openLine(sealed.line)?.record;
      head = sealed.head;
      if (record !== undefined) records.push(record);
    }
    waiting = [];
    if (records.length > maxRecords) records.splice(0, records.length - maxRecords);
  };
  return {
    get records(): readonly AuditRecord[] {
      chain();
      return records.slice();
    },
    append(entry: AuditEntry): void {
      waiting.push({ entry: redactEntry(entry), time: Date.now() });
      if (waiting.length >= maxRecords) chain();
    },
    async [Symbol.asyncDispose](): Promise<void> {},
  };
}
