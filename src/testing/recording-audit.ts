import type { AuditEntry, AuditLog } from "../audit.ts";
import { ToolgateError } from "../errors.ts";

/** An audit log that keeps entries as they came, without a chain. */
export interface RecordingAudit extends AuditLog {
  readonly entries: readonly AuditEntry[];
  /** From now on takes nothing, as a full disk would. */
  fail(): void;
}

/** A log for tests: what was recorded, and what happens when nothing can be. */
export function recordingAudit(): RecordingAudit {
  const entries: AuditEntry[] = [];
  let failing = false;
  return {
    entries,
    append(entry) {
      if (failing) throw new ToolgateError("audit_unavailable", "The audit log was told to fail.");
      entries.push(entry);
    },
    fail() {
      failing = true;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
