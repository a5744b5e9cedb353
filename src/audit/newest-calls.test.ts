import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../audit.ts";
import { jsonlAuditLog } from "./jsonl-log.ts";
import { type MergedCall, mergedCalls } from "./merged-calls.ts";
import { newestCalls } from "./newest-calls.ts";
import { auditRecords } from "./read.ts";

const CALLS = 4000;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "toolgate-newest-"));
  let clock = Date.parse("2026-01-01T00:00:00Z");
  // Two writers at once, small files: two chains of several files each.
  const options = { directory, maxFileBytes: 200_000, now: () => clock };
  await using one = jsonlAuditLog(options);
  await using other = jsonlAuditLog(options);
  const of = (at: number): Omit<AuditEntry, "event"> => ({
    ...{
      callId: `c${at}`,
      sessionId: `s${at % 7}`,
      tool: at % 500 === 0 ? "rare" : "common",
      backend: "local",
    },
  });
  for (let at = 0; at < CALLS; at++) {
    const log = at % 3 === 0 ? one : other;
    clock += 10;
    // Every eleventh was for a tool that isn't there: it has only an end.
    if (at % 11 !== 0) log.append({ event: "asked", ...of(at), input: { at } });
    // And each ends long after its neighbours began.
    const late = at - 40;
    if (late < 0) continue;
    clock += 1;
    const isUnknown = late % 11 === 0;
    (late % 3 === 0 ? one : other).append({
      ...of(late),
      event: "finished",
      state: isUnknown ? "error" : "success",
      durationMs: isUnknown ? 1 : 440,
      answerSize: 1,
    });
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** By reading everything. */
async function bySight(limit: number, filter: (call: MergedCall) => boolean): Promise<readonly MergedCall[]> {
  const all: MergedCall[] = [];
  for await (const call of mergedCalls(auditRecords(directory))) if (filter(call)) all.push(call);
  return all.sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1)).slice(0, limit);
}

describe("the newest calls of a log", () => {
  const rows: readonly (readonly [limit: number, what: string, filter: (call: MergedCall) => boolean])[] = [
    [1, "all", () => true],
    [10, "all", () => true],
    [50, "all", () => true],
    [1000, "all", () => true],
    [10, "those that have ended", ({ status }) => status === "success"],
    [10, "a tool that is rare", ({ tool_name: tool }) => tool === "rare"],
    [10, "one session", ({ session_id: session }) => session === "s3"],
    [10, "a tool that isn't there", ({ tool_name: tool }) => tool === "none"],
    [CALLS + 1, "more than there are", () => true],
  ];
  it.each(rows)("up to %d of %s are those that reading everything finds", async (limit, _what, filter) => {
    const found = await newestCalls(directory, limit, filter);
    expect(found).toEqual(await bySight(limit, filter));
  });

  it("are none where there is no log", async () => {
    expect(await newestCalls(join(directory, "none"), 10)).toEqual([]);
  });
});
