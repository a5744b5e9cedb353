import { describe, expect, it } from "vitest";
import { ModelServer, type Scripted } from "../../test/model-server.ts";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { Agent } from "./agent.ts";
import type { AgentMiddleware } from "./middleware.ts";

const input = { type: "object", properties: { n: { type: "integer" } } } as const;

interface Made extends AsyncDisposable {
  readonly agent: Agent;
  readonly server: ModelServer;
  readonly ran: string[];
}

async function made(script: readonly Scripted[], ...middlewares: readonly AgentMiddleware[]): Promise<Made> {
  const server = await ModelServer.start(...script);
  const ran: string[] = [];
  const tool = (name: string, isReadOnly: boolean) =>
    defineTool({
      name,
      description: "",
      input,
      isReadOnly,
      call: ({ n }) => {
        ran.push(`${name} ${n}`);
        return `${name} ${n}`;
      },
    });
  const tools = [tool("read", true), tool("write", false)];
  const toolkit = new Toolkit({ tools, backend: memoryBackend() });
  const agent = new Agent({ model: server.model(), toolkit, system: "Base.", middlewares });
  return { agent, server, ran, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const calling = (name: string): Scripted => ({ calls: [{ id: "c1", name, arguments: { n: 1 } }] });
const END: Scripted = { text: "Done." };

/** Writes down when each of its hooks is entered and left. */
function tracing(name: string, trace: string[]): AgentMiddleware {
  return {
    async *onReply(given, next) {
      trace.push(`${name} reply`);
      yield* next(given);
      trace.push(`${name} /reply`);
    },
    async *onReasoning(_step, next) {
      trace.push(`${name} reasoning`);
      yield* next();
      trace.push(`${name} /reasoning`);
    },
    async onModelCall(request, next) {
      trace.push(`${name} model`);
      const answer = await next(request);
      trace.push(`${name} /model`);
      return answer;
    },
    onSystemPrompt: (prompt) => `${prompt} ${name}.`,
    async onCheckPermission(_request, next) {
      trace.push(`${name} check`);
      return next();
    },
    async *onActing(call, next) {
      trace.push(`${name} acting`);
      yield* next(call);
      trace.push(`${name} /acting`);
    },
  };
}

describe("agent middleware", () => {
  it("wraps each step, the first outermost; system prompts go through in order", async () => {
    const trace: string[] = [];
    await using the = await made([calling("read"), END], tracing("a", trace), tracing("b", trace));
    expect((await the.agent.reply("Go")).text).toBe("Done.");
    const turn = [
      "a reasoning",
      "b reasoning",
      "a model",
      "b model",
      "b /model",
      "a /model",
      "b /reasoning",
      "a /reasoning",
    ];
    const act = ["a acting", "b acting", "a check", "b check", "b /acting", "a /acting"];
    expect(trace).toEqual(["a reply", "b reply", ...turn, ...act, ...turn, "b /reply", "a /reply"]);
    expect(the.server.requests[0]?.messages[0]).toEqual({ role: "system", content: "Base. a. b." });
  });

  it("may keep events from being shown, and the conversation is whole all the same", async () => {
    const silent: AgentMiddleware = {
      async *onReply(given, next) {
        for await (const event of next(given)) if (event.type === "REPLY_END") yield event;
      },
      async *onActing(call, next) {
        for await (const event of next(call)) if (event.type !== "TOOL_RESULT_END") yield event;
      },
    };
    await using the = await made([calling("read"), END], silent);
    const reply = await the.agent.reply("Go");
    expect(reply).toMatchObject({ reason: "completed", text: "Done." });
    expect(the.ran).toEqual(["read 1"]);
    // A result that a middleware kept to itself is missed, and the call has one nevertheless.
    expect(the.server.requests[1]?.messages.at(-1)).toEqual({
      role: "tool",
      tool_call_id: "c1",
      content: "The call ended without a result.",
    });
  });

  it("may answer a call itself", async () => {
    const cached: AgentMiddleware = {
      async *onActing({ id: callId, name: toolName }) {
        const content = [{ type: "text" as const, id: "b", text: "from before" }];
        const { ToolResponse } = await import("../response.ts");
        yield { type: "TOOL_RESULT_START", callId, toolName };
        yield {
          type: "TOOL_RESULT_END",
          callId,
          state: "success",
          response: new ToolResponse(callId, content, "success"),
        };
      },
    };
    await using the = await made([calling("write"), END], cached);
    await the.agent.reply("Go");
    expect(the.ran).toEqual([]);
    expect(the.server.requests[1]?.messages.at(-1)?.content).toBe("from before");
  });

  it("can't make an unjudged call of a judged one: what it puts in its place is judged", async () => {
    const swapping: AgentMiddleware = {
      onActing: (call, next) => next({ ...call, id: "other", name: "write" }),
    };
    await using the = await made([calling("read"), END], swapping);
    const { reason, waiting } = await the.agent.reply("Go");
    expect(reason).toBe("parked");
    expect(waiting).toMatchObject([{ callId: "c1", toolName: "write" }]);
    expect(the.ran).toEqual([]);
  });

  it("that fails ends the reply, which says so, and the conversation goes on", async () => {
    const failing: AgentMiddleware = {
      // biome-ignore lint/correctness/useYield: it never comes to that.
      async *onActing() {
        throw new Error("out of order");
      },
    };
    await using the = await made([calling("read"), END], failing);
    expect(await the.agent.reply("Go")).toMatchObject({
      reason: "error",
      error: { message: "out of order" },
    });
    expect((await the.agent.reply("And now?")).reason).toBe("completed");
    expect(the.server.requests[1]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  it("of which a verdict fails lets nothing run", async () => {
    const failing: AgentMiddleware = {
      onCheckPermission() {
        throw new Error("no verdict");
      },
    };
    await using the = await made([calling("read"), END], failing);
    await the.agent.reply("Go");
    expect(the.ran).toEqual([]);
  });
});
