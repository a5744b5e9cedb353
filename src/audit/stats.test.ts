import { describe, expect, it } from "vitest";
import type { AuditEntry, AuditRecord } from "../audit.ts";
import { auditCsv, auditJson } from "./export.ts";
import { memoryAuditLog } from "./memory-log.ts";
import { auditStats } from "./stats.ts";

async function* records(entries: readonly AuditEntry[]): AsyncGenerator<AuditRecord> {
  const log = memoryAuditLog();
  for (const entry of entries) await log.append(entry);
  yield* log.records;
}

async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** A call's records: each begins as asked for. */
const call = (callId: string, tool: string, ...rest: readonly Partial<AuditEntry>[]): AuditEntry[] =>
  [{ event: "asked" as const }, ...rest].map((part) => ({
    event: "decided",
    callId,
    tool,
    sessionId: "s",
    backend: "local",
    ...part,
  }));

const ran = (state: string, durationMs: number): Partial<AuditEntry>[] => [
  { decision: "allow" },
  { event: "started" },
  { event: "finished", state, durationMs },
];

describe("auditStats", () => {
  it("counts a call once, by how it ended", async () => {
    const stats = await auditStats(
      records([
        ...call("1", "Bash", ...ran("success", 10)),
        ...call("2", "Bash", ...ran("error", 30)),
        ...call("3", "Read", { decision: "deny" }),
        ...call("4", "Bash", { decision: "ask" }),
        ...call("5", "Edit", { decision: "ask" }, { event: "rejected", by: "me" }),
        ...call("6", "Bash", { decision: "allow" }, { event: "started" }),
        ...call("7", "Bash"),
      ]),
    );
    expect(stats).toMatchObject({
      records: 19,
      calls: 7,
      states: { denied: 2, error: 1, success: 1, unanswered: 1, undecided: 1, unfinished: 1 },
      decisions: { allow: 3, ask: 2, deny: 1 },
      tools: { Bash: 5, Edit: 1, Read: 1 },
      durationMs: { median: 30, p95: 30, max: 30 },
    });
  });

  it("is zeros for nothing", async () => {
    expect(await auditStats(records([]))).toEqual({
      records: 0,
      calls: 0,
      states: {},
      decisions: {},
      tools: {},
      days: {},
      durationMs: { median: 0, p95: 0, max: 0 },
    });
  });
});

describe("export", () => {
  const odd: AuditEntry[] = [
    {
      event: "decided",
      callId: "=1+1",
      sessionId: "s",
      tool: "Bash",
      backend: "local",
      input: { command: 'a "b", c\nd' },
      reason: "@x",
    },
  ];

  it("gives one JSON array", async () => {
    const text = (await collect(auditJson(records(odd)))).join("");
    expect(JSON.parse(text)).toMatchObject([{ seq: 1, callId: "=1+1", input: { command: 'a "b", c\nd' } }]);
    expect((await collect(auditJson(records([])))).join("")).toBe("[]\n");
  });

  it("gives a table that no spreadsheet takes for formulas", async () => {
    const [head, row] = (await collect(auditCsv(records(odd)))).join("").split("\r\n");
    expect(head).toBe(
      "time,seq,event,callId,sessionId,tool,backend,decision,reason,by,state,durationMs,answerSize,input,previous,hash",
    );
    expect(row).toContain(`,1,decided,'=1+1,s,Bash,local,,'@x,,,,,"{""command"":""a \\""b\\"", c\\nd""}",`);
  });
});

describe("memoryAuditLog", () => {
  it("chains and redacts what it keeps, and keeps the newest", async () => {
    const log = memoryAuditLog(3);
    for (let n = 1; n <= 10; n += 1) {
      await log.append({
        event: "asked",
        callId: `${n}`,
        sessionId: "s",
        tool: "T",
        backend: "b",
        input: { password: "x" },
      });
    }
    expect(log.records.map(({ seq, callId, input }) => [seq, callId, input])).toEqual(
      [8, 9, 10].map((n) => [n, `${n}`, { password: "[redacted]" }]),
    );
    const [, second, third] = log.records;
    expect(third?.previous).toBe(second?.hash);
  });
});
