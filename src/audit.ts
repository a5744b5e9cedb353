import type { JsonObject, MaybePromise } from "./lib/json.ts";

/** The moments of a call that are written down. */
export const AUDIT_EVENTS = ["asked", "decided", "approved", "rejected", "started", "finished"] as const;

/** One of the moments above. */
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** What is written down about one moment of a call, before the chain is added. */
export interface AuditEntry {
  readonly event: AuditEvent;
  readonly callId: string;
  readonly sessionId: string;
  readonly tool: string;
  readonly backend: string;
  /** Already redacted and bounded. */
  readonly input?: JsonObject;
  readonly decision?: string;
  /** The step and, where there is one, the rule; of an end, how the work came to go on after its answer. */
  readonly reason?: string;
  /** Who approved or rejected. */
  readonly by?: string;
  /** How it ended. */
  readonly state?: string;
  readonly durationMs?: number;
  /** Size of the answer, in characters. */
  readonly answerSize?: number;
  /** How the answer begins, redacted, where the log asks for it. */
  readonly answer?: string;
}

/** An entry in the chain. */
export interface AuditRecord extends AuditEntry {
  /** From 1, without gaps. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Hash of the record before; 64 zeros for the first. */
  readonly previous: string;
  /** SHA-256 over all the other fields. */
  readonly hash: string;
}

/** Where entries go. The gate runs nothing whose "started" entry was not taken. */
export interface AuditLog extends AsyncDisposable {
  /** How many characters of each answer are to be recorded. @default 0 */
  readonly answerCharacters?: number;
  /**
   * Takes an entry. Settles when it is as safe as the log promises.
   * @throws ToolgateError `audit_unavailable`
   */
  append(entry: AuditEntry): MaybePromise<void>;
}
