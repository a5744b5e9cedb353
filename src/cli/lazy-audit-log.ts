import type { AuditEntry, AuditLog } from "../audit.ts";
import type { MaybePromise } from "../lib/json.ts";

/** A project's log, loaded with its first entry: starting the program doesn't wait for what only calls need. */
export function lazyAuditLog(project: string): AuditLog {
  let log: AuditLog | undefined;
  let loading: Promise<AuditLog> | undefined;
  const load = async (): Promise<AuditLog> => {
    const { auditDirectory, jsonlAuditLog } = await import("../audit/jsonl-log.ts");
    log = jsonlAuditLog({ directory: auditDirectory(project) });
    return log;
  };
  return {
    append(entry: AuditEntry): MaybePromise<void> {
      if (log !== undefined) return log.append(entry);
      loading ??= load();
      // Entries that come meanwhile follow in the order they came in.
      return loading.then((loaded) => loaded.append(entry));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}
