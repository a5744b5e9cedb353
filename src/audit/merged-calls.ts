import type { AuditRecord } from "../audit.ts";
import type { JsonObject } from "../lib/json.ts";

/** All that is recorded of one call, as CountBot's pages show it. */
export interface MergedCall {
  readonly call_id: string;
  readonly tool_name: string;
  /** Redacted, as in the records. */
  readonly arguments: JsonObject;
  readonly session_id: string;
  /** When it was asked for: ISO 8601, UTC. */
  readonly timestamp: string;
  /** `pending`: not begun; `unknown`: begun, and nobody wrote down how it ended. */
  readonly status: "success" | "error" | "denied" | "interrupted" | "pending" | "unknown";
  /** How long it took, waiting for an answer included; `null` until it has ended. */
  readonly duration_ms: number | null;
  /** How the answer begins, where that is recorded; else how long it was, or why there is none. */
  readonly result: string | null;
}

const NO_INPUT: JsonObject = Object.freeze({});

/** Adds up the records of each call, in the order in which the calls ended; those that haven't come last. Memory grows with open calls only. */
export async function* mergedCalls(
  records: AsyncIterable<AuditRecord> | Iterable<AuditRecord>,
): AsyncGenerator<MergedCall, void, undefined> {
  const open = new Map<string, MergedCall>();
  for await (const record of records) {
    const key = `${record.sessionId}\n${record.callId}`;
    const call = merged(open.get(key) ?? begun(record), record);
    if (record.event === "finished") {
      open.delete(key);
      yield call;
    } else open.set(key, call);
  }
  yield* open.values();
}

function begun(record: AuditRecord): MergedCall {
  return {
    call_id: record.callId,
    tool_name: record.tool,
    arguments: record.input ?? NO_INPUT,
    session_id: record.sessionId,
    timestamp: record.time,
    status: "pending",
    duration_ms: null,
    result: null,
  };
}

function merged(call: MergedCall, record: AuditRecord): MergedCall {
  const { event, decision, reason, by } = record;
  switch (event) {
    case "decided":
      return decision === "allow" || reason === undefined ? call : { ...call, result: reason };
    case "rejected":
      return { ...call, result: `${by ?? "A person"} said no.${reason === undefined ? "" : ` ${reason}`}` };
    case "started":
      return { ...call, status: "unknown", result: null };
    case "finished":
      return finished(call, record);
    default:
      return call;
  }
}

function finished(call: MergedCall, { state, durationMs, answerSize, answer }: AuditRecord): MergedCall {
  return {
    ...call,
    status: statusOf(state),
    duration_ms: durationMs ?? null,
    result: call.result ?? answer ?? (answerSize === undefined ? null : `${answerSize} characters`),
  };
}

function statusOf(state: string | undefined): MergedCall["status"] {
  return state === "success" || state === "denied" || state === "interrupted" ? state : "error";
}
