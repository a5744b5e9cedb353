import type { AuditRecord } from "../audit.ts";
import { type MergedCall, mergedCalls } from "./merged-calls.ts";
import { auditRecords, auditTail } from "./read.ts";

/** A call has four records, or six where somebody was asked; filters leave some out. */
const RECORDS_A_CALL = 50;

/** The newest calls that pass a filter, newest first. Reads the end of the log, and all of it only where that has too few of them. */
export async function newestCalls(
  directory: string,
  limit: number,
  filter: (call: MergedCall) => boolean = () => true,
): Promise<readonly MergedCall[]> {
  const end = await auditTail(directory, limit * RECORDS_A_CALL);
  const found = await newestOf(wholeCalls(end), limit, filter);
  if (found.length === limit) return found;
  return newestOf(auditRecords(directory), limit, filter);
}

async function newestOf(
  records: AsyncIterable<AuditRecord> | Iterable<AuditRecord>,
  limit: number,
  filter: (call: MergedCall) => boolean,
): Promise<readonly MergedCall[]> {
  let kept: MergedCall[] = [];
  const newest = (): MergedCall[] => kept.toSorted(byTime).slice(0, limit);
  for await (const call of mergedCalls(records)) {
    if (!filter(call)) continue;
    kept.push(call);
    if (kept.length >= 2 * limit + 100) kept = newest();
  }
  return newest();
}

/** What is left without the records of calls that began before the first. */
function wholeCalls(records: readonly AuditRecord[]): readonly AuditRecord[] {
  const [first] = records;
  const begun = new Map<string, boolean>();
  return records.filter((record) => {
    const key = `${record.sessionId}\n${record.callId}`;
    const known = begun.get(key);
    if (known !== undefined) return known;
    const isWhole =
      record.event === "asked" || (first !== undefined && startOf(record) >= Date.parse(first.time));
    begun.set(key, isWhole);
    return isWhole;
  });
}

/** When a call began whose first record says how long it took; calls that never came to be asked about have no other. */
function startOf({ time, durationMs }: AuditRecord): number {
  return durationMs === undefined ? Number.NEGATIVE_INFINITY : Date.parse(time) - durationMs;
}

function byTime(one: MergedCall, other: MergedCall): number {
  return one.timestamp < other.timestamp ? 1 : -1;
}
