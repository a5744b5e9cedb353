import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";
import { smallToolkit } from "../adapters/fixtures/toolkit.ts";
import { defineTool } from "../define-tool.ts";
import type { GateEvent } from "../event.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { LocalContexts, MemoryTracer, memoryMeter } from "./fixtures/memory-otel.ts";
import { logCalls } from "./log.ts";
import { type ObserveOptions, observe } from "./otel.ts";

function watched(options: ToolkitOptions = {}, more: ObserveOptions = {}) {
  const { toolkit } = smallToolkit(options);
  const tracer = new MemoryTracer();
  const { meter, values } = memoryMeter();
  const stop = observe(toolkit, { tracer, meter, ...more });
  return { toolkit, tracer, values, stop };
}

const yes = () => ({ approved: true, by: "ann" }) as const;

describe("OpenTelemetry", () => {
  afterEach(() => context.disable());

  it("gives a call a span by the conventions", async () => {
    const { toolkit, tracer, values } = watched();
    await toolkit.execute("add", { a: 1, b: 2 }, { id: "c1" });
    expect(tracer.spans.map(({ name, isEnded, status }) => [name, isEnded, status])).toEqual([
      ["execute_tool add", true, undefined],
    ]);
    const decided = {
      "toolgate.decision": "allow",
      "toolgate.decision.step": "read-only",
      "toolgate.decision.read_only": true,
    };
    expect(tracer.spans[0]?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "add",
      "gen_ai.tool.description": "Adds two numbers.",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.type": "function",
      "gen_ai.conversation.id": toolkit.state.sessionId,
      "toolgate.state": "success",
      ...decided,
    });
    expect(tracer.spans[0]?.events).toEqual([["toolgate.decided", decided]]);
    expect(values).toEqual([
      [
        "gen_ai.execute_tool.duration",
        expect.any(Number),
        { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add" },
      ],
      [
        "toolgate.calls",
        1,
        { "gen_ai.tool.name": "add", "toolgate.decision": "allow", "toolgate.state": "success" },
      ],
    ]);
  });

  it.each<[string, string, string, ToolkitOptions, object]>([
    ["a failure", "fail", "{}", {}, { state: "error", type: "tool_failed", decision: "allow" }],
    ["bad arguments", "add", "{}", {}, { state: "error", type: "invalid_input", decision: "none" }],
    ["a tool that isn't there", "nope", "{}", {}, { state: "error", type: "unknown_tool", decision: "none" }],
    [
      "a refusal, which is no error",
      "deploy",
      '{"service":"x"}',
      { rules: ["deny:deploy"] },
      { state: "denied", decision: "deny" },
    ],
    ["an unanswered question", "deploy", '{"service":"x"}', {}, { state: "denied", decision: "ask" }],
  ])("says how it ended: %s", async (_title, name, input, options, expected) => {
    const { toolkit, tracer, values } = watched(options);
    await toolkit.execute(name, input);
    const [span] = tracer.spans;
    const [, , counted] = values.find(([instrument]) => instrument === "toolgate.calls") ?? [];
    const type = span?.attributes["error.type"];
    expect({
      state: span?.attributes["toolgate.state"],
      decision: counted?.["toolgate.decision"],
      ...(type === undefined ? {} : { type }),
    }).toEqual(expected);
    expect(span?.status?.code).toBe(type === undefined ? undefined : SpanStatusCode.ERROR);
    expect(tracer.spans.every(({ isEnded }) => isEnded)).toBe(true);
  });

  it("doesn't make a time series of every name that a model thinks up", async () => {
    const { toolkit, values } = watched();
    await toolkit.execute("made_up_7261", {});
    expect(values.map(([, , attributes]) => attributes["gen_ai.tool.name"])).toEqual(["_OTHER", "_OTHER"]);
  });

  it("gives the wait for a person a span and a time of its own", async () => {
    const approver = async () => {
      await new Promise((done) => setTimeout(done, 60));
      return yes();
    };
    const { toolkit, tracer, values } = watched({ approver });
    await toolkit.execute("deploy", { service: "web" });
    expect(tracer.spans.map(({ name, parent, isEnded }) => [name, parent, isEnded])).toEqual([
      ["execute_tool deploy", undefined, true],
      ["toolgate.approval_wait", "execute_tool deploy", true],
    ]);
    const seconds = new Map(values.map(([name, value]) => [name, value]));
    expect(seconds.get("toolgate.approval.wait.duration")).toBeGreaterThan(0.05);
    expect(seconds.get("gen_ai.execute_tool.duration")).toBeLessThan(0.05);
  });

  it("puts a tool's own spans into its call's", async () => {
    context.setGlobalContextManager(new LocalContexts());
    const { toolkit, tracer } = watched();
    toolkit.register(
      defineTool({
        name: "fetching",
        description: "Fetches.",
        input: { type: "object" },
        isReadOnly: true,
        async call() {
          await new Promise((done) => setTimeout(done, 1));
          tracer.startSpan("GET", {}, context.active()).end();
          return "ok";
        },
      }),
    );
    await Promise.all([toolkit.execute("fetching"), toolkit.execute("add", { a: 1, b: 1 })]);
    expect(tracer.spans.at(-1)).toMatchObject({ name: "GET", parent: "execute_tool fetching" });
    expect(trace.getSpan(context.active())).toBeUndefined();
  });

  it.each<[string, ObserveOptions, object]>([
    ["nothing of arguments and results by itself", {}, { arguments: undefined, result: undefined }],
    [
      "them when asked to, without secrets",
      { recordArguments: true, recordResults: true },
      { arguments: '{"service":"web","password":"[redacted]"}', result: "web is live." },
    ],
  ])("records %s", async (_title, more, expected) => {
    const { toolkit, tracer } = watched({ approver: yes }, more);
    const input = '{"service":"web","password":"hunter2hunter2"}';
    await toolkit.execute("deploy", input);
    const { attributes = {} } = tracer.spans[0] ?? {};
    expect({
      arguments: attributes["gen_ai.tool.call.arguments"],
      result: attributes["gen_ai.tool.call.result"],
    }).toEqual(expected);
    expect(JSON.stringify(tracer.spans.map((span) => [span.attributes, span.events]))).not.toContain(
      "hunter2",
    );
  });

  it("does nothing without an SDK, and nothing after its end", async () => {
    const { toolkit } = smallToolkit();
    observe(toolkit);
    expect(await toolkit.execute("add", { a: 1, b: 2 })).toMatchObject({ state: "success", text: "3" });
    const { toolkit: other, tracer, stop } = watched();
    stop();
    await other.execute("add", { a: 1, b: 2 });
    expect(tracer.spans).toEqual([]);
  });
});

describe("watching a toolkit", () => {
  it("never harms a call", async () => {
    const { toolkit } = smallToolkit();
    const boom = (): never => {
      throw new Error("a watcher's own fault");
    };
    const seen: GateEvent["type"][] = [];
    toolkit.watch(boom);
    toolkit.watch(() => ({ event: boom, around: boom }));
    toolkit.watch(() => ({
      event: ({ type }) => void seen.push(type),
      around: (work) => {
        work();
        return work();
      },
    }));
    expect(await toolkit.execute("add", { a: 1, b: 2 })).toMatchObject({ state: "success", text: "3" });
    expect(seen).toEqual([
      "TOOL_CALL_DECIDED",
      "TOOL_RESULT_START",
      "TOOL_RESULT_TEXT_DELTA",
      "TOOL_RESULT_END",
    ]);
  });
});

describe("logs", () => {
  it("has one line a call, by how it ended", async () => {
    const lines: [string, Record<string, unknown>, string][] = [];
    const at = (level: string) => (fields: Record<string, unknown>, message: string) =>
      void lines.push([level, fields, message]);
    const { toolkit } = smallToolkit();
    toolkit.watch(logCalls({ info: at("info"), warn: at("warn"), error: at("error") }));
    await toolkit.execute("add", { a: 1, b: 2 }, { id: "1" });
    await toolkit.execute("fail", {}, { id: "2" });
    await toolkit.execute("deploy", { service: "web" }, { id: "3" });
    const { sessionId } = toolkit.state;
    const durationMs = expect.any(Number);
    expect(lines).toEqual([
      [
        "info",
        {
          tool: "add",
          callId: "1",
          sessionId,
          state: "success",
          decision: "allow",
          reason: "read-only",
          durationMs,
        },
        "add: success",
      ],
      [
        "error",
        {
          tool: "fail",
          callId: "2",
          sessionId,
          state: "error",
          code: "tool_failed",
          decision: "allow",
          reason: "read-only",
          durationMs,
        },
        "fail: error",
      ],
      [
        "warn",
        {
          tool: "deploy",
          callId: "3",
          sessionId,
          state: "denied",
          code: "approval_required",
          decision: "ask",
          reason: "mode",
          durationMs,
        },
        "deploy: denied",
      ],
    ]);
  });
});
