import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../lib/json.ts";
import type { ChainHead } from "./chain.ts";

/** One file of a lane. */
export interface LaneFile {
  readonly path: string;
  readonly name: string;
  /** Number of the first record in it. */
  readonly first: number;
}

/**
 * One chain of records: the files of one writer at a time. A second process that writes at the same time has a
 * second lane; one that starts later goes on with a lane that nobody holds.
 */
export interface Lane {
  readonly id: string;
  /** In the order of the chain. */
  readonly files: readonly LaneFile[];
}

const LOG_NAME = /^audit_\d{4}-\d{2}-\d{2}_([0-9a-f]{8})_(\d{10,16})\.jsonl$/;
const HEAD_NAME = /^lane_([0-9a-f]{8})\.head$/;
/** A head is rewritten in place with every record: one size, so that an old one never shows behind a new one. */
const HEAD_SIZE = 128;

/** Name of the log file that begins with record `first` on a day (`2026-11-30`). */
export function logName(lane: string, day: string, first: number): string {
  return `audit_${day}_${lane}_${String(first).padStart(10, "0")}.jsonl`;
}

/** Path of the file that says where a lane ends. */
export function headPath(directory: string, lane: string): string {
  return join(directory, `lane_${lane}.head`);
}

/** All lanes of a directory, found by their logs or their heads. A missing directory has none. */
export function listLanes(directory: string): readonly Lane[] {
  const lanes = new Map<string, LaneFile[]>();
  for (const name of namesIn(directory)) {
    const [, lane, first] = LOG_NAME.exec(name) ?? HEAD_NAME.exec(name) ?? [];
    if (lane === undefined) continue;
    const files = lanes.get(lane) ?? [];
    if (first !== undefined) files.push({ path: join(directory, name), name, first: Number(first) });
    lanes.set(lane, files);
  }
  const byFirst = (a: LaneFile, b: LaneFile) => a.first - b.first || a.name.localeCompare(b.name);
  return [...lanes]
    .map(([id, files]) => ({ id, files: files.sort(byFirst) }))
    .sort((a, b) => a.id.localeCompare(b.id));
}

/** A head as it is written to its file. */
export function headText(head: ChainHead): string {
  return `${JSON.stringify(head).padEnd(HEAD_SIZE - 1)}\n`;
}

/** Where a lane ended when it was last written to, or `undefined` when its head file is missing or isn't one. */
export function readHead(directory: string, lane: string): ChainHead | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(headPath(directory, lane), "utf8"));
    if (!isObject(value)) return undefined;
    const { seq, hash } = value;
    return typeof seq === "number" && typeof hash === "string" ? { seq, hash } : undefined;
  } catch {
    return undefined; // Missing or torn: verify says so, and nobody goes on with this lane.
  }
}

/** The end of a log: its last whole line, and what follows that without a line break. */
export interface LogEnd {
  readonly lastLine: string | undefined;
  /** Bytes after the last line break: what a crash in the middle of a write leaves. */
  readonly torn: Buffer;
  /** Bytes up to and with the last line break. */
  readonly wholeSize: number;
}

/** Reads a log's end without reading the log. */
export function readEnd(path: string): LogEnd {
  const fd = openSync(path, "r");
  try {
    const size = fstatSync(fd).size;
    for (let length = Math.min(size, 64 * 1024); ; length = Math.min(size, length * 8)) {
      const bytes = readAt(fd, size - length, length);
      const end = bytes.lastIndexOf(10);
      const start = end < 1 ? -1 : bytes.lastIndexOf(10, end - 1);
      if (start < 0 && length < size) continue;
      const lastLine = end < 0 ? undefined : bytes.toString("utf8", start + 1, end);
      return { lastLine, torn: bytes.subarray(end + 1), wholeSize: size - length + end + 1 };
    }
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
