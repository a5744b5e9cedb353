import type { AuditRecord } from "../audit.ts";
import { mergedCalls } from "./merged-calls.ts";

/** Columns of a table of records, in order. */
const COLUMNS = [
  "time",
  "seq",
  "event",
  "callId",
  "sessionId",
  "tool",
  "backend",
  "decision",
  "reason",
  "by",
  "state",
  "durationMs",
  "answerSize",
  "input",
  "previous",
  "hash",
] as const satisfies readonly (keyof AuditRecord)[];

/** Records as one JSON array, piece by piece. */
export async function* auditJson(records: AsyncIterable<AuditRecord>): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const record of records) {
    yield separator + JSON.stringify(record);
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
}

/** Records as comma-separated values (RFC 4180) with a head line, piece by piece. */
export async function* auditCsv(records: AsyncIterable<AuditRecord>): AsyncGenerator<string> {
  yield `${COLUMNS.join(",")}\r\n`;
  for await (const record of records) {
    yield `${COLUMNS.map((column) => cell(record[column])).join(",")}\r\n`;
  }
}

/** Calls in CountBot's shape, one JSON object a line, as its log files have them. */
export async function* auditCountBot(records: AsyncIterable<AuditRecord>): AsyncGenerator<string> {
  for await (const call of mergedCalls(records)) yield `${JSON.stringify(call)}\n`;
}

function cell(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A spreadsheet takes such a beginning for a formula; the model chose this text.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
