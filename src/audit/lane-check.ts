import type { AuditRecord } from "../audit.ts";
import { type ChainHead, EMPTY_HEAD, GENESIS, headOf, openLine } from "./chain.ts";
import type { LogLine } from "./read.ts";

/** What was done to a log. */
export type AuditFault =
  | "edited"
  | "inserted"
  | "removed"
  | "reordered"
  | "truncated"
  | "head-missing"
  | "head-differs";

/** One fault, and where. */
export interface AuditFinding {
  readonly fault: AuditFault;
  readonly lane: string;
  /** Name of the file; absent when it is one that isn't there. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** The record, or the first of them. */
  readonly seq?: number;
  /** One sentence for a person. */
  readonly detail: string;
}

/** What a crash in the middle of a write leaves: no record, and no fault. */
export interface TornLine {
  readonly lane: string;
  readonly file: string;
  readonly line: number;
}

/** Records that were missing when a later one came. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly line: LogLine;
  /** The ones that came after all. */
  readonly late: { readonly seq: number; readonly line: LogLine }[];
}

/** Walks one chain, line by line, and collects what is wrong with it. */
export class LaneCheck {
  readonly lane: string;
  readonly findings: AuditFinding[] = [];
  readonly torn: TornLine[] = [];
  records = 0;
  head: ChainHead = EMPTY_HEAD;
  readonly #noted: ChainHead | undefined;
  readonly #wanted: Set<string>;
  readonly #gaps: Gap[] = [];
  /** Lines that aren't records, since the last record. */
  #foreign: LogLine[] = [];
  /** What the next record has to name; `undefined` after a line whose hash can't be known. */
  #previous: string | undefined = GENESIS;
  #notedHash: string | undefined;

  /** `noted` is what the head file says; every hash that is met is taken out of `wanted`. */
  constructor(lane: string, noted: ChainHead | undefined, wanted: Set<string>) {
    this.lane = lane;
    this.#noted = noted;
    this.#wanted = wanted;
  }

  take(line: LogLine): void {
    const opened = openLine(line.text);
    if (opened !== undefined) this.#takeRecord(line, opened.record, opened.intact);
    else if (line.isWhole || this.head.seq < (this.#noted?.seq ?? 0)) this.#foreign.push(line);
    else this.torn.push({ lane: this.lane, file: line.file.name, line: line.number });
  }

  /** `isHeld`: someone writes this lane now; half a line at its end is then a write on its way. */
  end(isHeld: boolean): void {
    if (isHeld) this.torn.length = 0;
    this.#settleForeign((this.#noted?.seq ?? 0) + 1);
    for (const gap of this.#gaps) this.#settleGap(gap);
    this.#settleHead();
    const last = Number.POSITIVE_INFINITY;
    this.findings.sort((a, b) => (a.seq ?? last) - (b.seq ?? last) || 0);
  }

  #takeRecord(line: LogLine, record: AuditRecord, intact: boolean): void {
    this.records += 1;
    this.#settleForeign(record.seq);
    if (intact) this.#wanted.delete(record.hash);
    else this.#find("edited", line, record.seq, `Record ${record.seq} is not what was written.`);
    if (record.seq === this.#noted?.seq) this.#notedHash = record.hash;
    const expected = this.head.seq + 1;
    if (record.seq < expected) {
      this.#takeLate(line, record.seq);
      return;
    }
    if (record.seq > expected) this.#gaps.push({ from: expected, to: record.seq - 1, line, late: [] });
    else if (intact && this.#previous !== undefined && record.previous !== this.#previous) {
      const seq = Math.max(1, expected - 1);
      this.#find("edited", line, seq, `Record ${seq} was replaced: the one here was not written after it.`);
    }
    this.head = headOf(record);
    this.#previous = record.hash;
  }

  #takeLate(line: LogLine, seq: number): void {
    const gap = this.#gaps.find(
      ({ from, to, late }) => from <= seq && seq <= to && late.every((one) => one.seq !== seq),
    );
    if (gap === undefined) this.#find("inserted", line, seq, `A second record ${seq} stands here.`);
    else gap.late.push({ seq, line });
  }

  /** Lines that aren't records, before record `next`: the missing ones, spoiled, or lines that were added. */
  #settleForeign(next: number): void {
    const foreign = this.#foreign;
    if (foreign.length === 0) return;
    this.#foreign = [];
    const areRecords = next - this.head.seq - 1 >= foreign.length;
    for (const line of foreign) {
      if (!areRecords) {
        this.#find("inserted", line, undefined, "This line is no record.");
        continue;
      }
      const seq = this.head.seq + 1;
      this.#find("edited", line, seq, `Record ${seq} is no longer readable.`);
      this.head = { seq, hash: "" };
      this.#previous = undefined;
    }
  }

  #settleGap({ from, to, line, late }: Gap): void {
    for (const moved of late) {
      this.#find("reordered", moved.line, moved.seq, `Record ${moved.seq} stands behind its place.`);
    }
    const missing = to - from + 1 - late.length;
    if (missing === 0) return;
    const which = from === to ? `Record ${from} is` : `${missing} of the records ${from} to ${to} are`;
    this.#find("removed", line, from, `${which} missing before this line.`);
  }

  #settleHead(): void {
    const noted = this.#noted;
    if (noted === undefined) {
      // Made and never written to: a process that ended at once.
      if (this.records === 0) return;
      const detail = "The file that says where this chain ends is missing or unreadable.";
      this.#find("head-missing", undefined, undefined, detail);
    } else if (this.head.seq < noted.seq) {
      const detail = `The log ends with record ${this.head.seq}, but ${noted.seq} were written.`;
      this.#find("truncated", undefined, this.head.seq + 1, detail);
    } else if (noted.seq > 0 && this.#notedHash !== undefined && this.#notedHash !== noted.hash) {
      this.#find(
        "head-differs",
        undefined,
        noted.seq,
        `Record ${noted.seq} is not the one that was written.`,
      );
    }
  }

  #find(fault: AuditFault, line: LogLine | undefined, seq: number | undefined, detail: string): void {
    this.findings.push({
      fault,
      lane: this.lane,
      ...(line === undefined ? {} : { file: line.file.name, line: line.number }),
      ...(seq === undefined ? {} : { seq }),
      detail,
    });
  }
}
