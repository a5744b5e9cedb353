import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ModelServer, type Scripted } from "../../test/model-server.ts";
import { defineTool } from "../define-tool.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ToolResultBlock } from "../message.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { codingTools, planTools } from "../tools/presets.ts";
import { Agent } from "./agent.ts";
import type { AgentOptions } from "./config.ts";
import type { AgentEvent, AgentInput, AgentReply } from "./event.ts";

interface World extends AsyncDisposable {
  readonly folder: string;
  readonly server: ModelServer;
  readonly toolkit: Toolkit;
  readonly agent: Agent;
}

interface WorldOptions {
  readonly toolkit?: Partial<ToolkitOptions>;
  readonly agent?: Partial<AgentOptions>;
}

/** A folder of its own, the coding tools, and a model that answers from a script. */
async function world(script: readonly Scripted[], options: WorldOptions = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "toolgate-agent-"));
  await writeFile(join(folder, "a.txt"), "hello\n");
  const server = await ModelServer.start(...script);
  const toolkit = new Toolkit({ tools: codingTools(), cwd: folder, ...options.toolkit });
  const limits = { retryDelayMs: 1, maxRetryDelayMs: 5 };
  const agent = new Agent({ model: server.model(), toolkit, limits, ...options.agent });
  return {
    folder,
    server,
    toolkit,
    agent,
    async [Symbol.asyncDispose]() {
      await toolkit[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** All events and what the reply came to. */
async function played(
  agent: Agent,
  input?: AgentInput,
  options: { readonly signal?: AbortSignal } = {},
): Promise<{ readonly events: readonly AgentEvent[]; readonly reply: AgentReply }> {
  const events: AgentEvent[] = [];
  const stream = agent.replyStream(input, options);
  for (;;) {
    const next = await stream.next();
    if (next.done === true) return { events, reply: next.value };
    events.push(next.value);
  }
}

function typesOf(events: readonly AgentEvent[]): readonly string[] {
  return events.map(({ type }) => type);
}

/** The results that the model was given, by tool. */
function resultsIn(agent: Agent): readonly (readonly [name: string, state: string, text: string])[] {
  return agent.state.messages
    .flatMap(({ role, content }) => (role === "tool" ? content : []))
    .map(({ name, state, output }: ToolResultBlock) => {
      const text = output.map((block) =>
        block.type === "text" ? block.text : `<${block.source.mediaType}>`,
      );
      return [name, state, text.join("")] as const;
    });
}

const call = (
  name: string,
  args: string | JsonObject,
  id?: string,
): NonNullable<Scripted["calls"]>[number] => ({
  name,
  arguments: args,
  ...(id === undefined ? {} : { id }),
});

/** The same answer however often the model is asked. */
function always(step: Scripted, times: number): readonly Scripted[] {
  return Array.from({ length: times }, () => step);
}

describe("a reply", () => {
  it("streams what the model and its tools do, in order", async () => {
    await using the = await world([
      { thinking: "Let me see.", text: "I look.", calls: [call("Read", { file_path: "a.txt" }, "c1")] },
      { text: "It says hello." },
    ]);
    const { events, reply } = await played(the.agent, "What does a.txt say?");
    expect(typesOf(events)).toEqual([
      "REPLY_START",
      "MODEL_CALL_START",
      "THINKING_BLOCK_START",
      "THINKING_BLOCK_DELTA",
      "THINKING_BLOCK_DELTA",
      "THINKING_BLOCK_END",
      "TEXT_BLOCK_START",
      "TEXT_BLOCK_DELTA",
      "TEXT_BLOCK_DELTA",
      "TOOL_CALL_START",
      "TOOL_CALL_DELTA",
      "TOOL_CALL_DELTA",
      "TEXT_BLOCK_END",
      "TOOL_CALL_END",
      "MODEL_CALL_END",
      "TOOL_CALL_DECIDED",
      "TOOL_RESULT_START",
      "TOOL_RESULT_TEXT_DELTA",
      "TOOL_RESULT_END",
      "MODEL_CALL_START",
      "TEXT_BLOCK_START",
      "TEXT_BLOCK_DELTA",
      "TEXT_BLOCK_DELTA",
      "TEXT_BLOCK_END",
      "MODEL_CALL_END",
      "REPLY_END",
    ]);
    const usage = {
      inputTokens: 20,
      outputTokens: 10,
      cacheReadTokens: 0,
      reasoningTokens: 0,
      modelCalls: 2,
    };
    expect(reply).toMatchObject({ reason: "completed", text: "It says hello.", waiting: [], usage });
    expect(the.agent.state.usage).toEqual(usage);
    expect(the.agent.state.reply).toBeUndefined();
    expect(the.server.requests[1]?.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: "I look.",
        reasoning_content: "Let me see.",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "Read", arguments: '{"file_path":"a.txt"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "     1\thello" },
    ]);
  });

  it("goes on with the conversation in another process, from JSON", async () => {
    await using first = await world([{ text: "Hello." }]);
    await first.agent.reply("Hi");
    const state = JSON.parse(JSON.stringify(first.agent.state));
    await using second = await world([{ text: "You said hi." }], { toolkit: { state } });
    expect((await second.agent.reply("What did I say?")).text).toBe("You said hi.");
    expect(second.server.requests[0]?.messages).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
      { role: "user", content: "What did I say?" },
    ]);
  });

  it("gives the model its system prompt and the tools that are visible", async () => {
    await using the = await world([{ text: "Yes." }], { agent: { system: async () => "Be brief." } });
    await the.agent.reply("Hi");
    const [request] = the.server.requests;
    expect(request?.messages[0]).toEqual({ role: "system", content: "Be brief." });
    expect(request?.tools?.map((tool) => tool.function.name)).toEqual(
      the.toolkit.tools.map(({ name }) => name),
    );
  });

  it("works on a real repository: reads, edits and runs", async () => {
    await using the = await world(
      [
        { calls: [call("Read", { file_path: "a.txt" }), call("Glob", { pattern: "*.txt" })] },
        { calls: [call("Edit", { file_path: "a.txt", old_string: "hello", new_string: "goodbye" })] },
        { calls: [call("Bash", { command: "wc -l a.txt" })] },
        { text: "Done." },
      ],
      { toolkit: { mode: "acceptEdits" } },
    );
    expect(await the.agent.reply("Say goodbye")).toMatchObject({ reason: "completed", text: "Done." });
    expect(await readFile(join(the.folder, "a.txt"), "utf8")).toBe("goodbye\n");
    expect(resultsIn(the.agent).map(([name, state]) => [name, state])).toEqual([
      ["Read", "success"],
      ["Glob", "success"],
      ["Edit", "success"],
      ["Bash", "success"],
    ]);
  });

  it("ends where the model has been called as often as it may be", async () => {
    await using the = await world(always({ calls: [call("Glob", { pattern: "*" })] }, 5), {
      agent: { maxIterations: 3 },
    });
    const { events, reply } = await played(the.agent, "Go on for ever");
    expect(reply).toMatchObject({ reason: "exceed_max_iters", usage: { modelCalls: 3 } });
    expect(events.at(-1)).toMatchObject({ type: "REPLY_END", reason: "exceed_max_iters" });
    the.server.add({ text: "Enough." });
    // What is left of the script comes first; the conversation is one that the provider takes.
    expect((await the.agent.reply("Stop")).reason).toBe("completed");
  });

  it("is one at a time", async () => {
    await using the = await world([{ text: "slow", hang: true }]);
    const stream = the.agent.replyStream("Hi");
    await stream.next();
    await expect(the.agent.reply("And?")).rejects.toThrow("agent is in the middle of a reply.");
    await stream.return({} as AgentReply);
  });
});

describe("calls that go wrong", () => {
  const rows: readonly (readonly [
    title: string,
    call: [string, string | JsonObject],
    state: string,
    text: RegExp,
  ])[] = [
    ["a tool that isn't there", ["Raed", {}], "error", /^There is no tool "Raed"\. Did you mean Read\?$/],
    [
      "arguments that are no JSON",
      ["Read", "file a.txt please"],
      "error",
      /^The input of Read can't be read: it isn't JSON/,
    ],
    ["arguments that are no object", ["Read", '["a.txt"]'], "error", /a JSON object is expected/],
    ["arguments that the schema refuses", ["Read", { path: "a.txt" }], "error", /file_path/],
    ["arguments that can be mended", ["Read", '{"file_path": "a.txt"'], "success", /hello/],
    [
      "arguments that end in the middle of a text",
      ["Read", '{"file_path": "a.t'],
      "error",
      /^Read was not run: its input is cut off\./,
    ],
    ["arguments in a JSON text", ["Read", '"{\\"file_path\\": \\"a.txt\\"}"'], "success", /hello/],
    ["no arguments at all", ["Read", ""], "error", /file_path/],
  ];

  it.each(rows)("%s", async (_title, [name, args], state, text) => {
    await using the = await world([{ calls: [call(name, args)] }, { text: "I see." }]);
    expect((await the.agent.reply("Hi")).reason).toBe("completed");
    expect(resultsIn(the.agent)).toEqual([[name, state, expect.stringMatching(text)]]);
    // The provider gets a conversation in which every call has its result.
    expect(the.server.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("never runs a call that the model's longest answer cut off", async () => {
    await using the = await world(
      [
        {
          calls: [
            call("Read", { file_path: "a.txt" }),
            call("Write", '{"file_path": "b.txt", "content": "half of i'),
          ],
          finishReason: "length",
        },
        { text: "I see." },
      ],
      { toolkit: { mode: "bypass" } },
    );
    expect((await the.agent.reply("Write")).reason).toBe("completed");
    expect(resultsIn(the.agent)).toEqual([
      ["Write", "error", expect.stringMatching(/^Write was not run: its input is cut off\./)],
      ["Read", "success", expect.stringContaining("hello")],
    ]);
    await expect(readFile(join(the.folder, "b.txt"))).rejects.toThrow("ENOENT");
  });

  it("are told apart when the model numbers them anew in every turn", async () => {
    await using the = await world([
      { calls: [call("Glob", { pattern: "*" }, "0"), call("Read", { file_path: "a.txt" }, "0")] },
      { calls: [call("Glob", { pattern: "*" }, "0")] },
      { text: "Fine." },
    ]);
    expect((await the.agent.reply("Hi")).reason).toBe("completed");
    const ids = the.agent.state.messages.flatMap(({ role, content }) =>
      role === "tool" ? content.map(({ id }) => id) : [],
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe("a model that fails", () => {
  const dropped = { drop: "before" } as const;

  it("is asked again when nothing came: broken connections, overload", async () => {
    await using the = await world([dropped, { status: 503 }, { status: 429 }, { text: "Here." }]);
    const { events, reply } = await played(the.agent, "Hi");
    expect(reply).toMatchObject({ reason: "completed", text: "Here.", usage: { modelCalls: 1 } });
    expect(events.filter(({ type }) => type === "MODEL_CALL_RETRY")).toHaveLength(3);
  });

  it("is not asked for ever", async () => {
    await using the = await world(always({ status: 503 }, 9));
    const { events, reply } = await played(the.agent, "Hi");
    expect(reply).toMatchObject({ reason: "error", error: { code: "model_failed", status: 503 } });
    expect(events.at(-1)).toMatchObject({ type: "REPLY_END", reason: "error" });
    expect(the.server.requests).toHaveLength(4);
  });

  it("is not asked again for what it refused", async () => {
    await using the = await world([{ status: 401 }, { text: "Never." }]);
    expect(await the.agent.reply("Hi")).toMatchObject({ reason: "error", error: { status: 401 } });
    expect(the.server.requests).toHaveLength(1);
  });

  it("in the middle of its answer: what it said is kept, and the reply can be gone on with", async () => {
    await using the = await world([{ text: "Half of", drop: "after-text" }, { text: "the rest." }]);
    const { reply } = await played(the.agent, "Hi");
    expect(reply).toMatchObject({ reason: "error", text: "Half of", error: { code: "model_failed" } });
    expect(the.server.requests).toHaveLength(1);
    expect(await the.agent.reply("Go on")).toMatchObject({ reason: "completed", text: "the rest." });
    expect(the.server.requests[1]?.messages.map(({ content }) => content)).toEqual([
      "Hi",
      "Half of",
      "Go on",
    ]);
  });

  it("after its tools ran: going on asks it again and runs nothing again", async () => {
    await using the = await world(
      [
        { calls: [call("Bash", { command: "echo x >> log" })] },
        ...always({ status: 503 }, 4),
        { text: "Done." },
      ],
      { toolkit: { mode: "bypass" } },
    );
    expect((await the.agent.reply("Log")).reason).toBe("error");
    const id = the.agent.state.reply?.id;
    expect(await the.agent.reply()).toMatchObject({ id, reason: "completed", text: "Done." });
    expect(await readFile(join(the.folder, "log"), "utf8")).toBe("x\n");
  });

  it("by saying nothing", async () => {
    await using the = await world([{ text: "Hm", hang: true }], {
      agent: { limits: { modelSilenceMs: 100 } },
    });
    expect(await the.agent.reply("Hi")).toMatchObject({
      reason: "error",
      error: { message: "Nothing came from the model for 100 ms." },
    });
  });

  it("has nothing to go on with when all is said", async () => {
    await using the = await world([{ text: "Hi." }]);
    await expect(the.agent.reply()).rejects.toThrow("There is nothing to go on with.");
    await the.agent.reply("Hi");
    await expect(the.agent.reply()).rejects.toThrow("There is nothing to go on with.");
  });
});

describe("an interrupted reply", () => {
  it("stops the model, keeps what it said, and the conversation goes on", async () => {
    await using the = await world([{ text: "I was about to", hang: true }, { text: "Fine." }]);
    const stop = new AbortController();
    const events: string[] = [];
    const stream = the.agent.replyStream("Hi", { signal: stop.signal });
    let reply: AgentReply | undefined;
    for (let next = await stream.next(); ; next = await stream.next()) {
      if (next.done === true) {
        reply = next.value;
        break;
      }
      events.push(next.value.type);
      if (events.filter((type) => type === "TEXT_BLOCK_DELTA").length === 2) stop.abort();
    }
    expect(reply).toMatchObject({ reason: "interrupted", text: "I was about to" });
    expect(events.at(-1)).toBe("REPLY_END");
    expect((await the.agent.reply("Then don't")).text).toBe("Fine.");
  });

  it("stops running calls and gives every call a result", async () => {
    await using the = await world(
      [
        { calls: [call("Bash", { command: "sleep 30" }), call("Bash", { command: "touch never" })] },
        { text: "Ok." },
      ],
      { toolkit: { mode: "bypass" } },
    );
    const stop = new AbortController();
    const started = performance.now();
    setTimeout(() => stop.abort(), 300);
    const { events, reply } = await played(the.agent, "Sleep", { signal: stop.signal });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(reply.reason).toBe("interrupted");
    expect(events.filter(({ type }) => type === "TOOL_RESULT_END")).toHaveLength(2);
    expect(resultsIn(the.agent).map(([, state]) => state)).toEqual(["interrupted", "interrupted"]);
    await expect(readFile(join(the.folder, "never"))).rejects.toThrow("ENOENT");
    expect((await the.agent.reply("Never mind")).text).toBe("Ok.");
  });

  it("is what leaving the stream does", async () => {
    await using the = await world([{ calls: [call("Bash", { command: "sleep 30" })] }, { text: "Ok." }], {
      toolkit: { mode: "bypass" },
    });
    for await (const { type } of the.agent.replyStream("Sleep")) if (type === "TOOL_RESULT_START") break;
    expect(resultsIn(the.agent)).toEqual([["Bash", "interrupted", expect.any(String)]]);
    expect((await the.agent.reply("Never mind")).text).toBe("Ok.");
  });
});

describe("images that tools give", () => {
  const PNG =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const camera = defineTool({
    name: "Camera",
    description: "Takes a picture.",
    input: { type: "object", properties: {} },
    isReadOnly: true,
    call: () => ({
      id: crypto.randomUUID(),
      content: [
        {
          type: "data" as const,
          id: crypto.randomUUID(),
          source: { type: "base64" as const, data: PNG, mediaType: "image/png" },
        },
      ],
      state: "success" as const,
      isLast: true,
      metadata: {},
    }),
  });
  const script = [{ calls: [call("Camera", {}, "c1")] }, { text: "A dot." }];

  it("come behind the result where results are text only", async () => {
    await using the = await world(script, { toolkit: { tools: [camera] } });
    expect((await the.agent.reply("Look")).text).toBe("A dot.");
    expect(the.server.requests[1]?.messages.slice(2)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "[image: shown below]" },
      {
        role: "user",
        content: [
          { type: "text", text: "Image from Camera:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ]);
  });

  it("are named only for a model that refuses them, from then on", async () => {
    await using the = await world(
      [{ calls: [call("Camera", {})] }, { status: 400 }, { text: "I can't see." }, { text: "No." }],
      {
        toolkit: { tools: [camera] },
      },
    );
    expect(await the.agent.reply("Look")).toMatchObject({ reason: "completed", text: "I can't see." });
    expect((await the.agent.reply("Sure?")).reason).toBe("completed");
    for (const { messages } of the.server.requests.slice(2)) {
      expect(messages[2]?.content).toBe("[data, image/png, 70 bytes: not shown here]");
    }
  });

  it("are only the newest", async () => {
    await using the = await world([...always({ calls: [call("Camera", {})] }, 3), { text: "Three." }], {
      toolkit: { tools: [camera] },
      agent: { limits: { images: 1 } },
    });
    await the.agent.reply("Look");
    const pictures = the.server.requests[3]?.messages.filter(({ role }) => role === "user");
    expect(pictures).toHaveLength(2);
  });
});

describe("unfinished tasks", () => {
  it("are told once to a model that can't see them", async () => {
    await using the = await world([{ text: "Yes." }, { text: "Still." }], {
      toolkit: { tools: planTools() },
    });
    the.agent.state.tasks.list.push({
      id: "1",
      subject: "Paint",
      description: "",
      status: "pending",
      blocks: [],
      blockedBy: [],
      metadata: {},
      createdAt: new Date().toISOString(),
    });
    const { events } = await played(the.agent, "Hi");
    expect(events.find(({ type }) => type === "HINT_BLOCK")).toMatchObject({ source: "tasks" });
    await the.agent.reply("And?");
    const said = the.server.requests[1]?.messages.filter(({ content }) =>
      String(content).includes("1 [pending] Paint"),
    );
    expect(said).toHaveLength(1);
  });
});
