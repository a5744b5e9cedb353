import { fdatasync } from "node:fs";
import { join, resolve } from "node:path";
import type { AuditEntry, AuditLog } from "../audit.ts";
import { ToolgateError } from "../errors.ts";
import type { MaybePromise } from "../lib/json.ts";
import { LaneWriter } from "./lane-writer.ts";
import { redactEntry } from "./redact-entry.ts";

/** Where a project's records are kept: `TOOLGATE_AUDIT_DIR`, else `data/audit_logs` below it. */
export function auditDirectory(project: string): string {
  const named = process.env.TOOLGATE_AUDIT_DIR;
  return named === undefined || named === "" ? join(project, "data", "audit_logs") : resolve(project, named);
}

const MAX_ANSWER = 100_000;

/** How a log of files is kept. */
export interface JsonlAuditLogOptions {
  readonly directory: string;
  /**
   * `buffered`: a record that was taken outlives this process. `group`: it outlives a power cut too; entries that come
   * while the disk is busy share the next sync. @default "buffered"
   */
  readonly durability?: "buffered" | "group";
  /** Bytes after which a new file is begun; a new day begins one anyway. @default 64 MiB */
  readonly maxFileBytes?: number;
  /**
   * Characters of each answer that are recorded, its secrets replaced, up to 100,000. Answers hold what files and pages hold: none are
   * kept unless it is asked for. @default 0
   */
  readonly answerCharacters?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

/**
 * A chained log in JSON lines, safe with several processes at once. Redacts what it is given. The directory and its files
 * are made with the first entry. Disposing closes them and waits for syncs on their way.
 */
export function jsonlAuditLog(options: JsonlAuditLogOptions): AuditLog {
  const { directory, durability = "buffered", maxFileBytes = 64 * 1024 * 1024, now = Date.now } = options;
  const answerCharacters = Math.min(Math.max(options.answerCharacters ?? 0, 0), MAX_ANSWER);
  let writer: LaneWriter | undefined;
  let closed = false;
  const write = (entry: AuditEntry): void => {
    if (closed) throw new ToolgateError("audit_unavailable", "The audit log has been closed.");
    try {
      writer ??= new LaneWriter({ directory, maxFileBytes, now });
      writer.append(redactEntry(entry, answerCharacters));
    } catch (error) {
      throw unavailable(directory, error);
    }
  };
  const sync = groupSync(() => {
    writer?.closeRetired();
    return writer?.fd;
  });
  return {
    answerCharacters,
    append(entry: AuditEntry): MaybePromise<void> {
      write(entry);
      if (durability === "buffered") {
        writer?.closeRetired();
        return undefined;
      }
      return sync().catch((error: unknown) => Promise.reject(unavailable(directory, error)));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      if (closed) return;
      closed = true;
      if (writer === undefined) return;
      // Whoever waits for a failed sync has been told; closing goes on.
      if (durability === "group") await sync().catch(() => undefined);
      writer.close();
    },
  };
}

/** Runs one sync at a time; whoever comes meanwhile shares the next one. */
function groupSync(descriptor: () => number | undefined): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    running = syncData(descriptor()).finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  };
}

function syncData(fd: number | undefined): Promise<void> {
  if (fd === undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}

function unavailable(directory: string, cause: unknown): ToolgateError {
  if (cause instanceof ToolgateError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ToolgateError(
    "audit_unavailable",
    `The audit log in ${directory} can't take a record: ${why}.`,
    {
      hint: "Nothing runs without a record. Free the disk or make the directory writable, then try again.",
      cause,
    },
  );
}
