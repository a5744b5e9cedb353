import { describe, expect, it } from "vitest";
import { ModelServer, type Scripted } from "../../test/model-server.ts";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import { answerApproval } from "../gate/answer-approval.ts";
import type { ToolResultBlock } from "../message.ts";
import { memoryStore } from "../store/memory.ts";
import { openSession } from "../store/session.ts";
import type { Store } from "../store.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { Agent } from "./agent.ts";
import type { AgentReply } from "./event.ts";

/** Several processes, one after the other or side by side, on one session in one store. */
class World implements AsyncDisposable {
  readonly store: Store = memoryStore();
  readonly ran: string[] = [];
  readonly server: ModelServer;

  constructor(server: ModelServer) {
    this.server = server;
  }

  /** A process that can keep its state `saves` times, and then dies as far as the store can tell: at once, or without saving any more. */
  async process(saves: number = Number.POSITIVE_INFINITY, stallsThen = false): Promise<Agent> {
    const session = await openSession(this.store, { sessionId: "s", cwd: "/" });
    const input = { type: "object", properties: {} } as const;
    const tool = (name: string, isReadOnly: boolean, text: () => Promise<string> | string) =>
      defineTool({
        name,
        description: "",
        input,
        isReadOnly,
        call: () => {
          this.ran.push(name);
          return text();
        },
      });
    const toolkit = new Toolkit({
      tools: [
        tool("write", false, () => "written"),
        tool("ask", false, () => "asked and done"),
        tool("hang", false, () => new Promise<string>(() => undefined)),
      ],
      backend: memoryBackend(),
      store: this.store,
      state: session.state,
    });
    toolkit.addRules(
      ...(session.state.permissions.rules.length === 0 ? (["allow:write", "allow:hang"] as const) : []),
    );
    let left = saves;
    const save = async (): Promise<void> => {
      left -= 1;
      if (left >= 0) await session.save();
      if (left === 0 && stallsThen) await new Promise(() => undefined);
    };
    return new Agent({ model: this.server.model(), toolkit, session: { save } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
  }
}

async function world(...script: readonly Scripted[]): Promise<World> {
  return new World(await ModelServer.start(...script));
}

function resultsOf({ state }: Agent): readonly string[] {
  return state.messages
    .flatMap(({ role, content }) => (role === "tool" ? content : []))
    .map(({ state: how, output }: ToolResultBlock) => {
      return `${how}: ${output.map((block) => (block.type === "text" ? block.text : "")).join("")}`;
    });
}

const calling = (...names: readonly string[]): Scripted => ({
  calls: names.map((name, at) => ({ id: `c${at + 1}`, name, arguments: {} })),
});
const END: Scripted = { text: "Done." };
/** The message, and then the model's calls, are kept; nothing after that. */
const BEFORE_CALLS = 2;

describe("a process that ends in the middle of a round", () => {
  it("leaves a call that has ended its result: it doesn't run again", async () => {
    await using the = await world(calling("write"), END, END);
    await (await the.process(BEFORE_CALLS)).reply("Go");
    const next = await the.process();
    expect(resultsOf(next)).toEqual([]);
    expect((await next.reply()).reason).toBe("completed");
    expect(resultsOf(next)).toEqual(["success: written"]);
    expect(the.ran).toEqual(["write"]);
  });

  it("leaves a question as it was: one, answered once, run once", async () => {
    await using the = await world(calling("write", "ask"), END);
    await (await the.process(BEFORE_CALLS)).reply("Go");
    const next = await the.process();
    const { reason, waiting } = await next.reply();
    expect(reason).toBe("parked");
    expect(waiting.map(({ callId }) => callId)).toEqual(["c2"]);
    expect((await the.store.approvals({ status: "pending" })).items).toHaveLength(1);
    await next.reply({ type: "USER_CONFIRM_RESULT", results: [{ callId: "c2", confirmed: true }] });
    expect(resultsOf(next)).toEqual(["success: written", "success: asked and done"]);
    expect(the.ran).toEqual(["write", "ask"]);
  });

  it("leaves a call that was started and has no end: the model is told, and it isn't run again", async () => {
    await using the = await world(calling("hang", "write"), END);
    const stream = (await the.process(BEFORE_CALLS)).replyStream("Go");
    for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
      if (next.value.type === "TOOL_RESULT_START") break;
    }
    const next = await the.process();
    expect((await next.reply()).reason).toBe("completed");
    expect(resultsOf(next)[0]).toMatch(/^interrupted: hang call c1 was started/);
    expect(resultsOf(next)[1]).toBe("success: written");
    expect(the.ran).toEqual(["hang", "write"]);
  });

  it("leaves calls that were not begun: they run", async () => {
    await using the = await world(calling("write"), END);
    const dying = (await the.process(BEFORE_CALLS, true)).replyStream("Go");
    for (let next = await dying.next(); next.done !== true; next = await dying.next()) {
      if (next.value.type === "MODEL_CALL_END") break;
    }
    void dying.next();
    await expect.poll(async () => (await the.store.load("s"))?.revision).toBe(BEFORE_CALLS);
    const next = await the.process();
    expect(the.ran).toEqual([]);
    expect((await next.reply()).reason).toBe("completed");
    expect(the.ran).toEqual(["write"]);
  });

  it("leaves a conversation that takes a new message", async () => {
    await using the = await world(calling("write"), END, END);
    await (await the.process(BEFORE_CALLS)).reply("Go");
    const next = await the.process();
    expect((await next.reply("Something else")).reason).toBe("completed");
    expect(resultsOf(next)).toEqual([expect.stringMatching(/^interrupted: Whether it ran/)]);
    expect(the.ran).toEqual(["write"]);
  });
});

describe("a question in the store", () => {
  it("is answered elsewhere, and the session goes on with that", async () => {
    await using the = await world(calling("ask"), END);
    const { waiting } = await (await the.process()).reply("Go");
    await answerApproval(the.store, waiting[0]?.approvalId ?? "", { approved: true, by: "the console" });
    const next = await the.process();
    expect((await next.reply()).reason).toBe("completed");
    expect(resultsOf(next)).toEqual(["success: asked and done"]);
  });

  it("has one answer: who comes second goes on with the first", async () => {
    await using the = await world(calling("ask"), END);
    const { waiting } = await (await the.process()).reply("Go");
    const approvalId = waiting[0]?.approvalId ?? "";
    await answerApproval(the.store, approvalId, { approved: false, by: "Ada", feedback: "No." });
    const next = await the.process();
    const late = await next.reply({
      type: "USER_CONFIRM_RESULT",
      results: [{ callId: "c1", confirmed: true }],
    });
    expect(late.reason).toBe("completed");
    expect(resultsOf(next)).toEqual([expect.stringMatching(/^denied: .*Ada said no/)]);
    expect(the.ran).toEqual([]);
  });
});

describe("two processes on one session", () => {
  it("don't overwrite each other: the second is told, and runs nothing", async () => {
    await using the = await world(END, calling("write"), END);
    const [first, second] = [await the.process(), await the.process()];
    expect((await first.reply("One")).reason).toBe("completed");
    const late: AgentReply = await second.reply("Two");
    expect(late).toMatchObject({ reason: "error", error: { code: "stale" } });
    expect(the.ran).toEqual([]);
    expect((await openSession(the.store, { sessionId: "s", cwd: "/" })).state.messages).toHaveLength(2);
  });
});
