import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryAuditLog } from "../audit/memory-log.ts";
import type { Confinement } from "../backend.ts";
import { memoryBackend } from "../backends/memory.ts";
import { toolChunk } from "../chunk.ts";
import { defineTool } from "../define-tool.ts";
import type { Effect } from "../effect.ts";
import type { GateEvent } from "../event.ts";
import type { CallContext, ToolOutput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";

type Work = (context: CallContext) => ReturnType<NonNullable<Parameters<typeof defineTool>[0]["call"]>>;

function toolkitFor(call: Work, options: ToolkitOptions = {}): Toolkit {
  const tool = defineTool({
    name: "work",
    description: "Works.",
    input: { type: "object" },
    isReadOnly: true,
    isStateInjected: true,
    call: (_input, context) => call(context),
  });
  return new Toolkit({ tools: [tool], backend: memoryBackend(), limits: { graceMs: 50 }, ...options });
}

describe("a call that fails", () => {
  it.each([
    [
      "judging its effects",
      {
        effects: () => {
          throw new Error("confused");
        },
      },
    ],
    ["checking its permissions", { checkPermissions: () => Promise.reject(new Error("confused")) }],
  ])("while %s doesn't run, and it is the tool's failure", async (_title, check) => {
    const tool = defineTool({ name: "work", description: "", input: {}, ...check, call: () => "ran" });
    await using toolkit = new Toolkit({ tools: [tool], backend: memoryBackend(), rules: ["allow:work(x)"] });
    const response = await toolkit.execute("work");
    expect([response.state, response.text, response.metadata.code]).toEqual([
      "error",
      "work failed: confused",
      "tool_failed",
    ]);
  });

  it.each([
    ["a name that is no text", [undefined, {}], "unknown_tool"],
    ["an input that is nothing", ["work", null], "invalid_input"],
    ["an id that is no text", ["work", {}, { id: 3 }], undefined],
  ])("doesn't throw at %s", async (_title, args, code) => {
    await using toolkit = toolkitFor(() => "x", { audit: memoryAuditLog() });
    const response = await Reflect.apply(toolkit.execute, toolkit, args);
    expect(response.metadata.code).toBe(code);
  });

  it.each<readonly [string, Work, string]>([
    [
      "by throwing",
      () => {
        throw new Error("broken");
      },
      "work failed: broken",
    ],
    ["by rejecting", () => Promise.reject(new TypeError("no such thing")), "work failed: no such thing"],
    ["by throwing what is no error", () => Promise.reject("nothing"), "work failed: nothing"],
    [
      "by answering what JSON can't carry",
      () => Promise.resolve(10n as never),
      "work answered bigint 10, which is no answer. Return a string, a JSON value or a ToolChunk.",
    ],
  ])("%s says so", async (_title, call, text) => {
    await using toolkit = toolkitFor(call);
    const response = await toolkit.execute("work");
    expect([response.state, response.text, response.metadata.code]).toEqual(["error", text, "tool_failed"]);
  });

  it("keeps what came before", async () => {
    await using toolkit = toolkitFor(async function* () {
      yield "half an answer";
      throw new Error("broken");
    });
    const response = await toolkit.execute("work");
    expect([response.state, response.text]).toEqual(["error", "half an answer\n\n[work failed: broken]"]);
  });
});

/** Heeds its signal with some last words. */
const obedient: Work = async function* ({ signal }) {
  yield "begun";
  await wait(60_000, undefined, { signal }).catch(() => undefined);
  yield ", cleaned up";
};

/** Doesn't look at its signal at all. */
const deaf: Work = async function* () {
  yield "begun";
  await new Promise(() => undefined);
};

const stops: readonly (readonly [string, Work, string])[] = [
  ["heeds its signal", obedient, "begun, cleaned up"],
  ["doesn't heed its signal", deaf, "begun"],
];

describe("a call whose tool %s".replace("%s", "is stopped"), () => {
  it.each(stops)("by its time limit keeps what came, when it %s", async (_title, call, came) => {
    await using toolkit = toolkitFor(call);
    const start = performance.now();
    const response = await toolkit.execute("work", {}, { timeoutMs: 30 });
    expect(performance.now() - start).toBeLessThan(5000);
    expect([response.state, response.metadata.code]).toEqual(["interrupted", "timeout"]);
    expect(response.text).toBe(
      `${came}\n\n[Stopped: it ran for 30 ms, which is the limit. Ask for less at once, or for a longer timeout.]`,
    );
  });

  it.each(stops)("by its caller keeps what came, when it %s", async (_title, call, came) => {
    const left = new AbortController();
    await using toolkit = toolkitFor(call);
    setTimeout(() => left.abort(), 20);
    const response = await toolkit.execute("work", {}, { signal: left.signal });
    expect([response.state, response.metadata.code]).toEqual(["interrupted", "aborted"]);
    expect(response.text).toBe(`${came}\n\n[The call was cancelled.]`);
  });

  it("doesn't start when it was cancelled before", async () => {
    let started = false;
    await using toolkit = toolkitFor(() => {
      started = true;
      return "x";
    });
    const response = await toolkit.execute("work", {}, { signal: AbortSignal.abort() });
    expect([response.state, response.metadata.code, started]).toEqual(["interrupted", "aborted", false]);
  });

  it("is stopped when nobody reads its events any more", async () => {
    const ended = Promise.withResolvers<boolean>();
    await using toolkit = toolkitFor(async function* ({ signal }) {
      yield "one";
      await wait(60_000, undefined, { signal }).catch(() => ended.resolve(signal.aborted));
    });
    for await (const event of toolkit.run({ id: "c", name: "work", input: {} })) {
      if (event.type === "TOOL_RESULT_TEXT_DELTA") break;
    }
    expect(await ended.promise).toBe(true);
  });

  it("has no last word after it was let go of", async () => {
    const go = Promise.withResolvers<void>();
    await using toolkit = toolkitFor(async function* (context) {
      yield "begun";
      await go.promise;
      context.progress("late");
      yield "too late";
    });
    const events: GateEvent[] = [];
    for await (const event of toolkit.run({ id: "c", name: "work", input: {} }, { timeoutMs: 10 }))
      events.push(event);
    go.resolve();
    await wait(5);
    expect(events.at(-1)).toMatchObject({ type: "TOOL_RESULT_END", state: "interrupted" });
    expect(events.filter(({ type }) => type === "TOOL_PROGRESS")).toEqual([]);
  });
});

describe("a running call", () => {
  it("has the session's live state when it declares it, its id, place and directory", async () => {
    let seen: CallContext | undefined;
    await using toolkit = toolkitFor((context) => {
      seen = context;
      return "x";
    });
    await toolkit.execute("work", {}, { id: "call_7" });
    expect(seen?.state).toBe(toolkit.state);
    expect([seen?.callId, seen?.cwd, seen?.backend.id]).toEqual(["call_7", "/work", "memory"]);
  });

  it("says how far it is, besides the answer", async () => {
    await using toolkit = toolkitFor((context) => {
      context.progress("half", 1, 2);
      return "x";
    });
    const events: GateEvent[] = [];
    for await (const event of toolkit.run({ id: "c", name: "work", input: {} })) events.push(event);
    expect(events[2]).toEqual({ type: "TOOL_PROGRESS", callId: "c", message: "half", done: 1, total: 2 });
  });

  it("is told which files may be shown without a question", async () => {
    let shown: readonly boolean[] | undefined;
    await using toolkit = toolkitFor(
      async ({ mayRead }) => {
        shown = await mayRead?.(["/work/a.txt", "/work/secret/b.txt", "/work/.env"]);
        return "x";
      },
      { rules: ["deny:Read(secret/**)"] },
    );
    await toolkit.execute("work");
    expect(shown).toEqual([true, false, false]);
  });
});

class Looks extends ToolBase {
  readonly name: string = "Looks";
  readonly description: string = "Looks.";
  readonly inputSchema: { readonly type: "object" } = { type: "object" };
  seen: Confinement | undefined;
  readonly #effects: readonly Effect[];

  constructor(effects: readonly Effect[]) {
    super();
    this.#effects = effects;
  }

  override effects(): readonly Effect[] {
    return this.#effects;
  }

  override call(_input: object, { confine }: CallContext): ToolOutput {
    this.seen = confine;
    return toolChunk({ text: "looked" });
  }
}

const run: Effect = { kind: "execute", program: "ls", argv: ["ls"], opaque: false };
const fetches: Effect = { kind: "connect", host: "a.example", readOnly: true };
const write: Effect = { kind: "write", path: "/work/x" };
const why = "There are no programs in memory.";

describe("confinement", () => {
  it.each([
    ["a program that only reads", "auto", true, [run], { write: "none", network: false }, {}],
    ["a program that fetches", "auto", true, [run, fetches], { write: "none", network: true }, {}],
    [
      "where the place can't, it runs and says so",
      "auto",
      false,
      [run],
      { write: "none", network: false },
      { confined: { enforced: false, why } },
    ],
    [
      "nothing is asked of the place where no program runs",
      "require",
      false,
      [{ kind: "read", path: "/work/a" }],
      { write: "none", network: false },
      {},
    ],
    ["what changes things isn't confined", "require", true, [run, write], undefined, {}],
    ["off", "off", true, [run], undefined, {}],
  ] as const)("%s", async (_title, confine, available, effects, seen, metadata) => {
    const tool = new Looks(effects);
    const capabilities = () => ({
      confine: available ? { available } : { available, why },
      background: false,
      pty: false,
      watch: false,
    });
    await using toolkit = new Toolkit({
      tools: [tool],
      backend: { ...memoryBackend(), capabilities },
      confine,
      mode: "bypass",
    });
    const response = await toolkit.execute("Looks");
    expect(response.metadata).toEqual(metadata);
    expect([response.text, tool.seen]).toEqual(["looked", seen]);
  });

  it.each([
    ["auto", true, { write: ["/work"], network: false }, {}],
    ["auto", false, { write: ["/work"], network: false }, { confined: { enforced: false, why } }],
    ["off", true, undefined, { confined: { enforced: false, why: "Confinement is switched off." } }],
  ] as const)(
    "is what a rule says, for a call that changes things (%s, available: %s)",
    async (confine, available, seen, metadata) => {
      const tool = new Looks([run, write]);
      const capabilities = () => ({
        confine: available ? { available } : { available, why },
        background: false,
        pty: false,
        watch: false,
      });
      await using toolkit = new Toolkit({
        tools: [tool],
        backend: { ...memoryBackend(), capabilities },
        confine,
        rules: ["allow:Looks confined"],
      });
      const response = await toolkit.execute("Looks");
      expect([response.text, response.metadata]).toEqual(["looked", metadata]);
      expect(tool.seen).toEqual(seen);
    },
  );

  it("refuses where it is required and the place can't", async () => {
    const tool = new Looks([run]);
    await using toolkit = new Toolkit({ tools: [tool], backend: memoryBackend(), confine: "require" });
    const response = await toolkit.execute("Looks");
    expect([response.state, response.metadata.code]).toEqual(["denied", "confine_unavailable"]);
    expect(response.text).toContain(why);
  });
});

describe("an external tool", () => {
  const human = defineTool({
    name: "ask_human",
    description: "Asks somebody.",
    input: { type: "object", properties: { action: { type: "string" } }, required: ["action"] },
    checkPermissions: () => ({ behavior: "allow", message: "Asking is always allowed." }),
  });

  it("is carried out by whoever takes its calls, after they were announced", async () => {
    await using toolkit = new Toolkit({
      tools: [human],
      backend: memoryBackend(),
      external: async ({ toolName, input }) => `${toolName}: ${String(input.action)} done`,
    });
    const events: GateEvent[] = [];
    for await (const event of toolkit.run({ id: "c", name: "ask_human", input: { action: "sign" } }))
      events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      "TOOL_CALL_DECIDED",
      "TOOL_RESULT_START",
      "REQUIRE_EXTERNAL_EXECUTION",
      "TOOL_RESULT_TEXT_DELTA",
      "TOOL_RESULT_END",
    ]);
    expect(events.at(-1)).toMatchObject({ state: "success", response: { text: "ask_human: sign done" } });
  });

  it("has no result where nobody takes its calls", async () => {
    await using toolkit = new Toolkit({ tools: [human], backend: memoryBackend() });
    const response = await toolkit.execute("ask_human", { action: "sign" });
    expect([response.state, response.metadata.code]).toEqual(["error", "external"]);
  });

  it("is judged and validated like any other", async () => {
    const external = (): string => "done";
    await using toolkit = new Toolkit({
      tools: [human],
      backend: memoryBackend(),
      external,
      rules: ["deny:ask_human"],
    });
    expect((await toolkit.execute("ask_human", {})).metadata.code).toBe("invalid_input");
    expect((await toolkit.execute("ask_human", { action: "x" })).state).toBe("denied");
  });
});
