import type { ChainHead } from "./chain.ts";
import { listLanes, readHead } from "./files.ts";
import { type AuditFinding, LaneCheck, type TornLine } from "./lane-check.ts";
import { isLaneHeld } from "./owner.ts";
import { lines } from "./read.ts";

/** One chain of the log. */
export interface LaneReport {
  readonly lane: string;
  readonly records: number;
  /** Where it ends: kept somewhere else, it proves later that nothing before it was changed. */
  readonly head: ChainHead;
}

/** What a check of a directory found. */
export interface VerifyReport {
  readonly ok: boolean;
  readonly records: number;
  readonly lanes: readonly LaneReport[];
  readonly findings: readonly AuditFinding[];
  /** Lines that a crash cut off while they were written. No fault: such a record was never taken. */
  readonly torn: readonly TornLine[];
}

/** What to check. */
export interface VerifyOptions {
  readonly directory: string;
  /** Hashes of heads that were noted earlier: a log that was rewritten as a whole no longer has them. */
  readonly heads?: readonly string[];
}

/** Checks every record of a directory: finds any edit, insertion, removal, reordering and truncation, and says where. */
export async function verifyAudit(options: VerifyOptions): Promise<VerifyReport> {
  const wanted = new Set(options.heads);
  const checks: LaneCheck[] = [];
  for (const lane of listLanes(options.directory)) {
    // The head first: records that are written meanwhile make the log longer than it, which is no fault.
    const noted = readHead(options.directory, lane.id);
    const check = new LaneCheck(lane.id, noted, wanted);
    for await (const line of lines(lane)) check.take(line);
    check.end(isLaneHeld(options.directory, lane.id));
    checks.push(check);
  }
  const findings = checks.flatMap((check) => check.findings);
  for (const hash of wanted) {
    const detail = `No record has the hash ${hash} any more: the log was rewritten or cut.`;
    findings.push({ fault: "head-differs", lane: "", detail });
  }
  return {
    ok: findings.length === 0,
    records: checks.reduce((sum, check) => sum + check.records, 0),
    lanes: checks.map(({ lane, records, head }) => ({ lane, records, head })),
    findings,
    torn: checks.flatMap((check) => check.torn),
  };
}
