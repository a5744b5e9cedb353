import { hash } from "node:crypto";
import { AUDIT_EVENTS, type AuditEntry, type AuditEvent, type AuditRecord } from "../audit.ts";
import { isObject } from "../lib/json.ts";

/** What the first record of a chain has as its `previous`. */
export const GENESIS: string = "0".repeat(64);

/** Where a chain stands: the number and hash of its last record. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The head of a chain without records. */
export const EMPTY_HEAD: ChainHead = Object.freeze({ seq: 0, hash: GENESIS });

/** A record as one line of text, and the head it makes. */
export interface SealedLine {
  /** JSON, without the line break. */
  readonly line: string;
  readonly head: ChainHead;
}

/** A line taken apart. `intact` says whether the line still is what was written. */
export interface OpenedLine {
  readonly intact: boolean;
  readonly record: AuditRecord;
}

const HASH_MEMBER = /^,"hash":"([0-9a-f]{64})"\}$/;

/** Length of `,"hash":"…"}`: a tail of fixed size, so that the hashed text is cut out and never rebuilt. */
const TAIL = 75;

/**
 * Puts an entry behind a head. The hash is SHA-256 over the line's own text without its `hash` member, so that
 * no second way of writing the same JSON passes for it.
 */
export function seal(entry: AuditEntry, previous: ChainHead, time: string): SealedLine {
  const seq = previous.seq + 1;
  const record = { seq, time, ...entry, previous: previous.hash, hash: undefined };
  // An entry may be a whole record of another log: its own place in a chain doesn't count here.
  record.seq = seq;
  record.time = time;
  const body = JSON.stringify(record);
  const digest = hash("sha256", body);
  return { line: `${body.slice(0, -1)},"hash":"${digest}"}`, head: { seq, hash: digest } };
}

/** Takes a line apart, or `undefined` when it isn't a record at all. */
export function openLine(line: string): OpenedLine | undefined {
  const digest = HASH_MEMBER.exec(line.slice(-TAIL))?.[1];
  if (digest === undefined) return undefined;
  const record = parse(line);
  if (record === undefined) return undefined;
  return { intact: hash("sha256", `${line.slice(0, -TAIL)}}`) === digest, record };
}

/** The head that a record makes. */
export function headOf(record: AuditRecord): ChainHead {
  return { seq: record.seq, hash: record.hash };
}

function parse(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // Not JSON: the caller reports the line.
  }
}

function isRecord(value: unknown): value is AuditRecord {
  if (!isObject(value)) return false;
  const { time, previous, hash: own, callId, sessionId, tool, backend } = value;
  const texts = [time, previous, own, callId, sessionId, tool, backend];
  return (
    Number.isSafeInteger(value.seq) && texts.every((text) => typeof text === "string") && isEvent(value.event)
  );
}

function isEvent(value: unknown): value is AuditEvent {
  return AUDIT_EVENTS.some((event) => event === value);
}
