import { describe, expect, it } from "vitest";
import { ModelServer, type Scripted } from "../../test/model-server.ts";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import type { ToolResultBlock } from "../message.ts";
import type { AgentState } from "../state.ts";
import { memoryStore } from "../store/memory.ts";
import type { Store } from "../store.ts";
import type { Tool } from "../tool.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { Agent } from "./agent.ts";
import type { AgentEvent, AgentInput, AgentReply, ConfirmResult, ExternalResult } from "./event.ts";
import type { AgentMiddleware } from "./middleware.ts";

/** What the tools have done, in order, over all processes. */
type Deeds = string[];

function tools(deeds: Deeds): readonly Tool[] {
  const input = { type: "object", properties: { what: { type: "string" } }, required: ["what"] } as const;
  const doing = (name: string, isConcurrencySafe: boolean, isReadOnly = false): Tool =>
    defineTool({
      name,
      description: "",
      input,
      isConcurrencySafe,
      isReadOnly,
      call: ({ what }) => {
        deeds.push(`${name} ${what}`);
        return `${name} ${what}: done`;
      },
    });
  return [
    doing("look", true, true),
    doing("note", true),
    doing("mark", true),
    doing("step", false),
    defineTool({
      name: "wipe",
      description: "",
      input,
      isConcurrencySafe: true,
      effects: ({ what }) => [{ kind: "write", path: `/etc/${what}`, danger: "it can't be undone" }],
      call: ({ what }) => {
        deeds.push(`wipe ${what}`);
        return "wiped";
      },
    }),
    defineTool({
      name: "put",
      description: "",
      input,
      effects: ({ what }) => [
        { kind: "write", path: what, ...(what.endsWith("!") ? { danger: "it can't be undone" } : {}) },
      ],
      call: ({ what }) => {
        deeds.push(`put ${what}`);
        return "put";
      },
    }),
    defineTool({
      name: "errand",
      description: "",
      input,
      isConcurrencySafe: true,
      isReadOnly: true,
    }),
  ];
}

interface Process {
  readonly agent: Agent;
  readonly toolkit: Toolkit;
}

/** One conversation over as many processes as a test wants. */
class World implements AsyncDisposable {
  readonly deeds: Deeds = [];
  readonly server: ModelServer;
  readonly store: Store | undefined;
  readonly #options: Partial<ToolkitOptions>;
  readonly #middlewares: readonly AgentMiddleware[];
  #state: AgentState | undefined;

  constructor(
    server: ModelServer,
    store: Store | undefined,
    options: Partial<ToolkitOptions> = {},
    middlewares: readonly AgentMiddleware[] = [],
  ) {
    this.server = server;
    this.store = store;
    this.#options = options;
    this.#middlewares = middlewares;
  }

  /** What a new process makes of what the last one left. */
  process(): Process {
    const state = this.#state === undefined ? {} : { state: JSON.parse(JSON.stringify(this.#state)) };
    const toolkit = new Toolkit({
      tools: tools(this.deeds),
      backend: memoryBackend(),
      ...(this.store === undefined ? {} : { store: this.store }),
      ...state,
      ...this.#options,
    });
    this.#state = toolkit.state;
    return {
      toolkit,
      agent: new Agent({ model: this.server.model(), toolkit, middlewares: this.#middlewares }),
    };
  }

  /** A reply in a process of its own. */
  async reply(input?: AgentInput): Promise<Played> {
    const { agent } = this.process();
    const events: AgentEvent[] = [];
    const stream = agent.replyStream(input);
    for (;;) {
      const next = await stream.next();
      if (next.done === true) return new Played(events, next.value, agent.state);
      events.push(next.value);
    }
  }

  confirm(...results: readonly ConfirmResult[]): Promise<Played> {
    return this.reply({ type: "USER_CONFIRM_RESULT", results });
  }

  deliver(...results: readonly ExternalResult[]): Promise<Played> {
    return this.reply({ type: "EXTERNAL_EXECUTION_RESULT", results });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.store?.[Symbol.asyncDispose]();
  }
}

class Played {
  readonly events: readonly AgentEvent[];
  readonly reply: AgentReply;
  readonly state: AgentState;

  constructor(events: readonly AgentEvent[], reply: AgentReply, state: AgentState) {
    this.events = events;
    this.reply = reply;
    this.state = state;
  }

  /** Calls that were asked about or handed over in it. */
  get asked(): readonly string[] {
    return this.events.flatMap((event) =>
      event.type === "REQUIRE_USER_CONFIRM" || event.type === "REQUIRE_EXTERNAL_EXECUTION"
        ? [event.callId]
        : [],
    );
  }

  get waiting(): readonly string[] {
    return this.reply.waiting.map(({ callId }) => callId);
  }

  /** The results so far, by call. */
  get results(): Record<string, string> {
    const all = this.state.messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
    return Object.fromEntries(
      all.map(({ id, state, output }: ToolResultBlock) => {
        return [id, `${state}: ${output.map((block) => (block.type === "text" ? block.text : "")).join("")}`];
      }),
    );
  }
}

type Call = readonly [id: string, name: string, what: string];

const turn = (...calls: readonly Call[]): Scripted => ({
  calls: calls.map(([id, name, what]) => ({ id, name, arguments: { what } })),
});
const END: Scripted = { text: "Done." };
const yes = (callId: string, more: Partial<ConfirmResult> = {}): ConfirmResult => ({
  callId,
  confirmed: true,
  ...more,
});
const no = (callId: string, feedback?: string): ConfirmResult => ({
  callId,
  confirmed: false,
  ...(feedback === undefined ? {} : { feedback }),
});

const PLACES: readonly (readonly [place: string, store: () => Store | undefined])[] = [
  ["in the state alone", () => undefined],
  ["in a store", () => memoryStore()],
];

describe.each(PLACES)("questions kept %s", (_place, newStore) => {
  async function world(
    script: readonly Scripted[],
    options: Partial<ToolkitOptions> = {},
    middlewares: readonly AgentMiddleware[] = [],
  ): Promise<World> {
    return new World(await ModelServer.start(...script), newStore(), options, middlewares);
  }

  it("park the reply, which goes on in another process with that call alone", async () => {
    await using the = await world([turn(["c1", "look", "x"], ["c2", "note", "x"]), END]);
    const first = await the.reply("Go");
    expect(first.reply).toMatchObject({ reason: "parked", text: "" });
    expect(first.waiting).toEqual(["c2"]);
    expect(first.events.at(-1)?.type).toBe("REPLY_PARKED");
    expect(first.results).toEqual({ c1: "success: look x: done" });
    expect(first.reply.waiting[0]).toMatchObject({
      toolName: "note",
      waitsFor: "approval",
      input: { what: "x" },
      suggestions: [{ text: "note" }],
    });
    const second = await the.confirm(yes("c2"));
    expect(second.reply).toMatchObject({ id: first.reply.id, reason: "completed", text: "Done." });
    expect(second.asked).toEqual([]);
    expect(second.results).toEqual({ c1: "success: look x: done", c2: "success: note x: done" });
    expect(the.deeds).toEqual(["look x", "note x"]);
  });

  it("of several kinds wait together and are answered one by one, in any order", async () => {
    await using the = await world([
      turn(["c1", "note", "x"], ["c2", "errand", "y"], ["c3", "mark", "z"]),
      END,
    ]);
    const first = await the.reply("Go");
    expect([...first.asked].sort()).toEqual(["c1", "c2", "c3"]);
    const second = await the.confirm(yes("c3"));
    expect(second.reply.reason).toBe("parked");
    expect([...second.waiting].sort()).toEqual(["c1", "c2"]);
    // A round counts only when all its results are in.
    expect(second.state.reply?.iterations).toBe(0);
    const third = await the.deliver({ callId: "c2", content: "bought" });
    expect(third.waiting).toEqual(["c1"]);
    expect(third.state.reply?.iterations).toBe(0);
    const last = await the.confirm(no("c1"));
    expect(last.reply).toMatchObject({ reason: "completed", usage: { modelCalls: 2 } });
    expect(last.results).toMatchObject({ c2: "success: bought", c3: "success: mark z: done" });
    expect(the.deeds).toEqual(["mark z"]);
    expect(the.server.requests).toHaveLength(2);
  });

  it("can all be answered at once", async () => {
    await using the = await world([turn(["c1", "note", "x"], ["c2", "mark", "y"]), END]);
    await the.reply("Go");
    const { reply, results } = await the.confirm(yes("c1"), no("c2", "Not today."));
    expect(reply.reason).toBe("completed");
    expect(results.c1).toBe("success: note x: done");
    expect(results.c2).toBe("denied: mark was not run: user said no. They said: Not today.");
  });

  it("hold up what comes after them in the turn", async () => {
    await using the = await world([turn(["c1", "step", "1"], ["c2", "step", "2"], ["c3", "look", "x"]), END]);
    expect((await the.reply("Go")).asked).toEqual(["c1"]);
    const second = await the.confirm(yes("c1"));
    expect(second.asked).toEqual(["c2"]);
    expect(second.waiting).toEqual(["c2"]);
    expect(the.deeds).toEqual(["step 1"]);
    expect((await the.confirm(yes("c2"))).reply.reason).toBe("completed");
    expect(the.deeds).toEqual(["step 1", "step 2", "look x"]);
  });

  it("give the model what a person says to a no", async () => {
    await using the = await world([turn(["c1", "note", "x"]), END]);
    await the.reply("Go");
    const { events } = await the.confirm({ ...no("c1", "Use pencil."), by: "Ada" });
    expect(events.find(({ type }) => type === "TOOL_RESULT_END")).toMatchObject({ state: "denied" });
    expect(the.server.requests[1]?.messages.at(-1)).toEqual({
      role: "tool",
      tool_call_id: "c1",
      content: "note was not run: Ada said no. They said: Use pencil.",
    });
    expect(the.deeds).toEqual([]);
  });

  it("run what a person changes the input to, and the model sees that", async () => {
    await using the = await world([turn(["c1", "note", "x"]), END]);
    await the.reply("Go");
    const { reply, state } = await the.confirm(yes("c1", { input: { what: "better" }, toolName: "note" }));
    expect(reply.reason).toBe("completed");
    expect(the.deeds).toEqual(["note better"]);
    expect(state.messages[1]?.content[0]).toMatchObject({ input: '{"what":"better"}', edited: true });
  });

  it("judge what a person changes the input to: a deny wins, and a new danger is asked about", async () => {
    const script = [turn(["c1", "put", "/x/a"]), turn(["c2", "put", "/x/b"]), END];
    await using the = await world(script, { rules: ["deny:Write(/secret/**)"] });
    await the.reply("Go");
    const second = await the.confirm(yes("c1", { input: { what: "/secret/a" } }));
    expect(second.results.c1).toMatch(/^denied: /);
    expect(second.waiting).toEqual(["c2"]);
    const third = await the.confirm(yes("c2", { input: { what: "/x/b!" } }));
    expect(third.asked).toEqual(["c2"]);
    expect(third.reply.waiting[0]).toMatchObject({ input: { what: "/x/b!" }, bypassImmune: true });
    expect(the.deeds).toEqual([]);
    expect((await the.confirm(yes("c2"))).reply.reason).toBe("completed");
    expect(the.deeds).toEqual(["put /x/b!"]);
  });

  it("are put again where another directory is meant by now", async () => {
    await using the = await world([turn(["c1", "note", "x"]), END]);
    const { state } = await the.reply("Go");
    state.cwd = "/elsewhere";
    const again = await the.confirm(yes("c1"));
    expect(again.asked).toEqual(["c1"]);
    expect(the.deeds).toEqual([]);
    await the.confirm(yes("c1"));
    expect(the.deeds).toEqual(["note x"]);
  });

  it("let a rule that came meanwhile say no in spite of a yes", async () => {
    await using the = await world([turn(["c1", "note", "x"]), END]);
    await the.reply("Go");
    const { results } = await the.confirm(yes("c1", { rules: ["deny:note"] }));
    expect(results.c1).toMatch(/^denied: /);
    expect(the.deeds).toEqual([]);
  });

  it("take rules for the rest of the session along", async () => {
    await using the = await world([turn(["c1", "note", "x"]), turn(["c2", "note", "y"]), END]);
    const first = await the.reply("Go");
    const rule = first.reply.waiting[0]?.suggestions?.[0]?.rule;
    const { reply, asked, state } = await the.confirm(yes("c1", { rules: rule === undefined ? [] : [rule] }));
    expect(reply.reason).toBe("completed");
    expect(asked).toEqual([]);
    expect(the.deeds).toEqual(["note x", "note y"]);
    expect(state.permissions.rules).toEqual([
      { toolName: "note", ruleContent: null, behavior: "allow", source: "session" },
    ]);
  });

  it("are put once where one rule would settle several", async () => {
    await using the = await world([turn(["c1", "note", "x"], ["c2", "note", "y"], ["c3", "mark", "z"]), END]);
    const first = await the.reply("Go");
    expect(first.asked).toEqual(["c1", "c3"]);
    expect(first.waiting).toEqual(["c1", "c3"]);
    const second = await the.confirm(yes("c1", { rules: ["allow:note"] }));
    expect(second.waiting).toEqual(["c3"]);
    // It waits for all that is asked, as it would have.
    expect(the.deeds).toEqual(["note x"]);
    const third = await the.confirm(no("c3"));
    expect(third.reply.reason).toBe("completed");
    expect(third.asked).toEqual([]);
    expect(the.deeds).toEqual(["note x", "note y"]);
  });

  it("are put for the others too when no rule came with the answer", async () => {
    await using the = await world([turn(["c1", "note", "x"], ["c2", "note", "y"]), END]);
    expect((await the.reply("Go")).asked).toEqual(["c1"]);
    const second = await the.confirm(yes("c1"));
    expect(second.asked).toEqual(["c2"]);
    expect((await the.confirm(yes("c2"))).reply.reason).toBe("completed");
    expect(the.deeds).toEqual(["note x", "note y"]);
  });

  it("about safety are each put on their own", async () => {
    await using the = await world([turn(["c1", "wipe", "x"], ["c2", "wipe", "x"]), END]);
    const first = await the.reply("Go");
    expect(first.asked).toEqual(["c1", "c2"]);
    expect(first.reply.waiting[0]).toMatchObject({ bypassImmune: true, suggestions: [] });
    await the.confirm(yes("c2"));
    expect(the.deeds).toEqual(["wipe x"]);
  });

  const refused: readonly (readonly [title: string, input: AgentInput, message: string])[] = [
    ["a message", "Hello?", "The session waits for answers before it can take a message."],
    [
      "an answer to a call that isn't there",
      { type: "USER_CONFIRM_RESULT", results: [yes("c9")] },
      'No call "c9" waits for an answer.',
    ],
    [
      "an answer to a call that has its result",
      { type: "USER_CONFIRM_RESULT", results: [yes("c0")] },
      'No call "c0" waits for an answer.',
    ],
    [
      "two answers to one call",
      { type: "USER_CONFIRM_RESULT", results: [yes("c1"), no("c1")] },
      'The call "c1" is answered twice at once.',
    ],
    ["no answer at all", { type: "USER_CONFIRM_RESULT", results: [] }, "There is no answer in it."],
    [
      "a yes to what is carried out elsewhere",
      { type: "USER_CONFIRM_RESULT", results: [yes("c2")] },
      'The call "c2" waits for the result of what is carried out elsewhere.',
    ],
    [
      "a result of what is asked about",
      { type: "EXTERNAL_EXECUTION_RESULT", results: [{ callId: "c1", content: "" }] },
      'The call "c1" waits for a yes or no.',
    ],
    [
      "another tool",
      { type: "USER_CONFIRM_RESULT", results: [yes("c1", { toolName: "wipe" })] },
      'The call "c1" is one of note, and that can\'t be changed.',
    ],
    [
      "an input with a no",
      { type: "USER_CONFIRM_RESULT", results: [{ ...no("c1"), input: { what: "y" } }] },
      'The answer to "c1" says no, and gives an input.',
    ],
    [
      "a broken rule",
      { type: "USER_CONFIRM_RESULT", results: [yes("c1", { rules: ["allow:note("] })] },
      "note(",
    ],
  ];

  it("refuse what isn't waited for, and go on waiting", async () => {
    await using the = await world([
      turn(["c0", "look", "x"], ["c1", "note", "x"], ["c2", "errand", "y"]),
      END,
    ]);
    const { state } = await the.reply("Go");
    const before = JSON.stringify(state);
    for (const [title, input, message] of refused) {
      const { agent } = the.process();
      await expect(agent.reply(input), title).rejects.toThrow(message);
      expect(JSON.stringify(agent.state), title).toBe(before);
    }
    await the.confirm(yes("c1"));
    expect((await the.deliver({ callId: "c2", content: "ok" })).reply.reason).toBe("completed");
  });

  it("have no answers when nothing is asked", async () => {
    await using the = await world([END]);
    await the.reply("Hi");
    await expect(the.confirm(yes("c1"))).rejects.toThrow('No call "c1" waits for an answer.');
  });

  it("are given up by an interruption, with a result for every call", async () => {
    await using the = await world([
      turn(["c1", "note", "x"], ["c2", "errand", "y"], ["c3", "step", "z"]),
      END,
    ]);
    await the.reply("Go");
    const { reply, results, events } = await the.reply({ type: "USER_INTERRUPT" });
    expect(reply.reason).toBe("interrupted");
    expect(Object.keys(results).sort()).toEqual(["c1", "c2", "c3"]);
    expect(events.filter(({ type }) => type === "TOOL_RESULT_END")).toHaveLength(3);
    expect((await the.store?.approvals({ status: "pending" }))?.items ?? []).toEqual([]);
    expect((await the.reply("Anything else")).reply.reason).toBe("completed");
    expect(the.deeds).toEqual([]);
  });

  it("are not there to interrupt when nothing waits", async () => {
    await using the = await world([END]);
    await the.reply("Hi");
    expect((await the.reply({ type: "USER_INTERRUPT" })).events).toEqual([]);
  });

  it("are put again when asked for, and run nothing", async () => {
    await using the = await world([turn(["c1", "note", "x"]), END]);
    await the.reply("Go");
    const again = await the.reply();
    expect(again.waiting).toEqual(["c1"]);
    expect(the.deeds).toEqual([]);
    expect((await the.confirm(yes("c1"))).reply.reason).toBe("completed");
    expect(the.deeds).toEqual(["note x"]);
  });

  it("get results of others with their state, kept within the limits", async () => {
    await using the = await world([turn(["c1", "errand", "x"], ["c2", "errand", "y"]), END], {
      limits: { answerChars: 1000 },
    });
    await the.reply("Go");
    const long = `start\n${"line\n".repeat(2000)}end`;
    const { results, reply } = await the.deliver(
      { callId: "c1", content: long },
      { callId: "c2", content: "closed", state: "error", metadata: { shop: 7 } },
    );
    expect(reply.reason).toBe("completed");
    expect(results.c1?.length).toBeLessThan(1500);
    expect(results.c1).toMatch(/^success: start\n[\s\S]*characters are left out[\s\S]*end$/);
    expect(results.c2).toBe("error: closed");
  });

  it("are answered by a middleware, but for those about safety", async () => {
    const asked: string[] = [];
    const all: AgentMiddleware = {
      async onCheckPermission({ toolName }, next) {
        asked.push(toolName);
        return { ...(await next()), behavior: "allow" };
      },
    };
    await using the = await world(
      [turn(["c1", "note", "x"], ["c2", "wipe", "y"], ["c3", "mark", "z"]), END],
      { rules: ["deny:mark"] },
      [all],
    );
    const { asked: put, results } = await the.reply("Go");
    expect(put).toEqual(["c2"]);
    expect(results.c1).toBe("success: note x: done");
    expect(results.c3).toMatch(/^denied: /);
    expect(the.deeds).toEqual(["note x"]);
    expect(new Set(asked)).toEqual(new Set(["note", "wipe", "mark"]));
  });

  it("come from a middleware that is stricter, and a yes to them counts", async () => {
    const strict: AgentMiddleware = {
      async onCheckPermission({ toolName, input }, next) {
        if (toolName !== "look") return next();
        if (input.what === "secret") return { behavior: "deny", message: "Not that one." };
        return { behavior: "ask", message: "Sure?" };
      },
    };
    await using the = await world([turn(["c1", "look", "x"], ["c2", "look", "secret"]), END], {}, [strict]);
    const first = await the.reply("Go");
    expect(first.asked).toEqual(["c1"]);
    expect(first.results).toEqual({ c2: "denied: Not that one." });
    expect((await the.confirm(yes("c1"))).reply.reason).toBe("completed");
    expect(the.deeds).toEqual(["look x"]);
  });

  it("don't let a middleware put another call in the place of the one that was approved", async () => {
    const swap: AgentMiddleware = {
      async *onActing(call, next) {
        yield* next(the.deeds.length === 0 && asked ? { ...call, name: "mark" } : call);
      },
    };
    let asked = false;
    await using the = await world([turn(["c1", "note", "x"]), END], {}, [swap]);
    await the.reply("Go");
    asked = true;
    const { reply, waiting } = await the.confirm(yes("c1"));
    if (reply.reason === "parked") expect(waiting).toEqual(["c1"]);
    else expect(the.deeds).toEqual(["note x"]);
    expect(the.deeds).not.toContain("mark x");
  });
});

describe("questions with a person at hand", () => {
  it("are answered in place, one by one, and what a rule settles isn't asked", async () => {
    const asked: string[] = [];
    await using the = new World(
      await ModelServer.start(turn(["c1", "note", "x"], ["c2", "note", "y"], ["c3", "mark", "z"]), END),
      undefined,
      {
        approver: ({ callId, suggestions }) => {
          asked.push(callId);
          if (callId === "c3") return { approved: false, by: "Ada", feedback: "No marks." };
          return { approved: true, by: "Ada", rules: suggestions.slice(0, 1).map(({ rule }) => rule) };
        },
      },
    );
    const { reply, results } = await the.reply("Go");
    expect(reply.reason).toBe("completed");
    expect(asked).toEqual(["c1", "c3"]);
    expect(the.deeds).toEqual(["note x", "note y"]);
    expect(results.c3).toBe("denied: mark was not run: Ada said no. They said: No marks.");
  });

  it("park when that person leaves them open", async () => {
    await using the = new World(await ModelServer.start(turn(["c1", "note", "x"]), END), undefined, {
      approver: () => undefined,
    });
    expect((await the.reply("Go")).waiting).toEqual(["c1"]);
    expect((await the.confirm(yes("c1"))).reply.reason).toBe("completed");
    expect(the.deeds).toEqual(["note x"]);
  });
});
