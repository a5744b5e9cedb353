import type { AuditRecord } from "../audit.ts";

/** How often something was met. */
export type Counts = Readonly<Record<string, number>>;

/** What a log says when it is added up. A call is counted once, however many records it has. */
export interface AuditStats {
  readonly records: number;
  readonly calls: number;
  /** How calls ended; `unfinished` were started and never finished: their outcome is unknown. */
  readonly states: Counts;
  readonly decisions: Counts;
  readonly tools: Counts;
  readonly days: Counts;
  readonly durationMs: { readonly median: number; readonly p95: number; readonly max: number };
  readonly first?: string;
  readonly last?: string;
}

/** Adds records up. Memory grows with the number of calls, not with their size. */
export async function auditStats(records: AsyncIterable<AuditRecord>): Promise<AuditStats> {
  const calls = new Map<string, string>();
  const decisions = new Map<string, number>();
  const tools = new Map<string, number>();
  const days = new Map<string, number>();
  const durations: number[] = [];
  let count = 0;
  let first: string | undefined;
  let last: string | undefined;
  for await (const record of records) {
    count += 1;
    first ??= record.time;
    last = record.time;
    const key = `${record.sessionId}\n${record.callId}`;
    if (!calls.has(key)) {
      add(tools, record.tool);
      add(days, record.time.slice(0, 10));
    }
    calls.set(key, stateAfter(record) ?? calls.get(key) ?? "undecided");
    if (record.event === "decided" && record.decision !== undefined) add(decisions, record.decision);
    if (record.event === "finished" && record.durationMs !== undefined) durations.push(record.durationMs);
  }
  const states = new Map<string, number>();
  for (const state of calls.values()) add(states, state);
  return {
    records: count,
    calls: calls.size,
    states: byCount(states),
    decisions: byCount(decisions),
    tools: byCount(tools),
    days: Object.fromEntries(days),
    durationMs: quantiles(durations),
    ...(first === undefined ? {} : { first }),
    ...(last === undefined ? {} : { last }),
  };
}

function stateAfter({ event, state, decision }: AuditRecord): string | undefined {
  if (event === "finished") return state ?? "finished";
  if (event === "started") return "unfinished";
  if (event === "rejected") return "denied";
  if (event === "decided" && decision === "deny") return "denied";
  if (event === "decided" && decision === "ask") return "unanswered";
  return undefined;
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function byCount(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)));
}

function quantiles(values: number[]): AuditStats["durationMs"] {
  values.sort((a, b) => a - b);
  const at = (part: number) => values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
  return { median: at(0.5), p95: at(0.95), max: values.at(-1) ?? 0 };
}
