import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../audit.ts";
import { defineTool } from "../define-tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { auditCountBot } from "./export.ts";
import { memoryAuditLog } from "./memory-log.ts";
import { type MergedCall, mergedCalls } from "./merged-calls.ts";

async function all(records: Parameters<typeof mergedCalls>[0]): Promise<readonly MergedCall[]> {
  const calls: MergedCall[] = [];
  for await (const call of mergedCalls(records)) calls.push(call);
  return calls;
}

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  input: { type: "object", properties: { text: { type: "string" } } },
  isReadOnly: true,
  call: ({ text }) => {
    if (text === "fail") throw new Error("no");
    return String(text);
  },
});

describe("calls in CountBot's shape", () => {
  it("have one record each, with its end", async () => {
    const audit = memoryAuditLog();
    await using toolkit = new Toolkit({ tools: [echo], audit, rules: ["deny:exec"], sessionId: "s" });
    await toolkit.execute(
      "echo",
      { text: "hello", token: "ghp_0123456789abcdefghij0123456789abcdef" },
      { id: "1" },
    );
    await toolkit.execute("echo", { text: "fail" }, { id: "2" });
    expect(await all(audit.records)).toEqual([
      {
        call_id: "1",
        tool_name: "echo",
        arguments: { text: "hello", token: "[redacted]" },
        session_id: "s",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        status: "success",
        duration_ms: expect.any(Number),
        result: "5 characters",
      },
      expect.objectContaining({ call_id: "2", status: "error" }),
    ]);
    const lines: string[] = [];
    for await (const line of auditCountBot(toAsync(audit.records))) lines.push(line);
    expect(lines.map((line) => JSON.parse(line).call_id)).toEqual(["1", "2"]);
  });

  const entry = { callId: "1", sessionId: "s", tool: "exec", backend: "local" };
  const rows: readonly (readonly [
    events: readonly Partial<AuditEntry>[],
    status: string,
    result: string | null,
  ])[] = [
    [[{ event: "asked", input: { command: "x" } }], "pending", null],
    [[{ event: "asked" }, { event: "decided", decision: "ask", reason: "unsure" }], "pending", "unsure"],
    [
      [{ event: "asked" }, { event: "decided", decision: "allow", reason: "reads" }, { event: "started" }],
      "unknown",
      null,
    ],
    [
      [
        { event: "asked" },
        { event: "decided", decision: "deny", reason: "a rule" },
        { event: "finished", state: "denied", durationMs: 1, answerSize: 30 },
      ],
      "denied",
      "a rule",
    ],
    [
      [
        { event: "asked" },
        { event: "decided", decision: "ask", reason: "unsure" },
        { event: "rejected", by: "ann", reason: "not now" },
        { event: "finished", state: "denied" },
      ],
      "denied",
      "ann said no. not now",
    ],
    [
      [{ event: "asked" }, { event: "started" }, { event: "finished", state: "interrupted", answerSize: 0 }],
      "interrupted",
      "0 characters",
    ],
  ];

  it.each(rows)("%j: %s, %s", async (events, status, result) => {
    const audit = memoryAuditLog();
    for (const event of events) await audit.append({ event: "asked", ...entry, ...event });
    expect(await all(audit.records)).toEqual([expect.objectContaining({ status, result })]);
  });
});

async function* toAsync<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}
