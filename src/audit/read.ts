import { createReadStream } from "node:fs";
import type { AuditRecord } from "../audit.ts";
import { openLine } from "./chain.ts";
import { type Lane, type LaneFile, listLanes } from "./files.ts";

/** One line of a log file, as it stands there. */
export interface LogLine {
  readonly file: LaneFile;
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** False for what stands behind the last line break. */
  readonly isWhole: boolean;
}

/** All lines of a lane, in the order of its files. Memory stays flat. */
export async function* lines(lane: Lane): AsyncGenerator<LogLine> {
  for (const file of lane.files) {
    let rest = "";
    let number = 0;
    for await (const chunk of createReadStream(file.path, { encoding: "utf8", highWaterMark: 1 << 20 })) {
      const parts = (rest + String(chunk)).split("\n");
      rest = parts.pop() ?? "";
      for (const text of parts) {
        number += 1;
        yield { file, number, text, isWhole: true };
      }
    }
    if (rest !== "") yield { file, number: number + 1, text: rest, isWhole: false };
  }
}

/** All records of a directory, oldest first, whatever process wrote them. Lines that aren't records are left out: verify names them. */
export async function* auditRecords(directory: string): AsyncGenerator<AuditRecord> {
  const open = listLanes(directory).map(records);
  const heads = await Promise.all(open.map((lane) => lane.next()));
  for (;;) {
    const at = oldest(heads);
    const head = heads[at];
    const lane = open[at];
    if (head === undefined || head.done || lane === undefined) return;
    yield head.value;
    heads[at] = await lane.next();
  }
}

/** The last `count` records of a directory, oldest first. */
export async function auditTail(directory: string, count: number): Promise<readonly AuditRecord[]> {
  const kept: AuditRecord[] = [];
  for (const lane of listLanes(directory)) kept.push(...(await laneTail(lane, count)));
  return kept.sort((a, b) => a.time.localeCompare(b.time)).slice(-count);
}

async function laneTail(lane: Lane, count: number): Promise<readonly AuditRecord[]> {
  let kept: AuditRecord[] = [];
  for (const file of lane.files.toReversed()) {
    if (kept.length >= count) break;
    const newer = kept;
    kept = [];
    for await (const record of records({ id: lane.id, files: [file] })) {
      kept.push(record);
      if (kept.length > 2 * count + 1000) kept.splice(0, kept.length - count);
    }
    kept.push(...newer);
  }
  return kept.slice(-count);
}

async function* records(lane: Lane): AsyncGenerator<AuditRecord, undefined> {
  for await (const line of lines(lane)) {
    const opened = openLine(line.text);
    if (opened !== undefined) yield opened.record;
  }
  return undefined;
}

function oldest(heads: readonly IteratorResult<AuditRecord, undefined>[]): number {
  let best = -1;
  let bestTime = "";
  for (const [at, head] of heads.entries()) {
    if (head.done || (best >= 0 && head.value.time >= bestTime)) continue;
    best = at;
    bestTime = head.value.time;
  }
  return best;
}
