import { describe, expect, it } from "vitest";
import type { Approval } from "../approval.ts";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import type { Effect } from "../effect.ts";
import type { GateEvent } from "../event.ts";
import type { JsonObject } from "../lib/json.ts";
import { type AgentState, newState } from "../state.ts";
import { memoryStore } from "../store/memory.ts";
import { recordingAudit } from "../testing/recording-audit.ts";
import { refuses } from "../testing/store/world.ts";
import type { ApprovalAnswer, Approver } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { answerApproval, answerExternal } from "./answer-approval.ts";

const YES = { approved: true, by: "ann" } as const;
const CALL = { id: "c1", name: "save", input: { path: "/work/a.txt", text: "new" } };

/** One store and one place, for toolkits that stand for the processes of one session. */
class World implements AsyncDisposable {
  readonly store = memoryStore();
  readonly backend = memoryBackend({ cwd: "/work" });
  readonly state: AgentState = newState({ sessionId: "s1", cwd: "/work" });
  /** What was really done. */
  readonly done: string[] = [];

  /** Writes a file; where it writes is what it says. `danger` and `mkfs` can't be settled by a rule. */
  readonly save = defineTool({
    name: "save",
    description: "",
    input: {
      type: "object",
      properties: { path: { type: "string" }, text: { type: "string" } },
      required: ["path", "text"],
    },
    effects: ({ path, text }): Effect[] => [
      { kind: "write", path, ...(text === "danger" ? { danger: "It can't be undone." } : {}) },
    ],
    call: async ({ path, text }) => {
      this.done.push(`${path}: ${text}`);
      await this.backend.writeFile(path, Buffer.from(text), { parents: true });
      return `saved ${text}`;
    },
  });

  /** Another process of the session. */
  toolkit(options: ToolkitOptions = {}): Toolkit {
    const { store, backend, save } = this;
    return new Toolkit({ tools: [save], store, backend, state: structuredClone(this.state), ...options });
  }

  /** Parks the call, and gives its question. */
  async parked(options: ToolkitOptions = {}): Promise<Approval> {
    await events(this.toolkit(options).run(CALL));
    const approval = (await this.store.approvals()).items.at(-1);
    if (approval === undefined) throw new Error("Nothing was parked.");
    return approval;
  }

  async put(path: string, text: string): Promise<void> {
    await this.backend.writeFile(path, Buffer.from(text), { parents: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }
}

async function events(stream: AsyncIterable<GateEvent>): Promise<GateEvent[]> {
  const all: GateEvent[] = [];
  for await (const event of stream) all.push(event);
  return all;
}

/** How a call came out: state, code and text; or what it is parked for. */
async function outcome(stream: AsyncIterable<GateEvent>): Promise<unknown> {
  const all = await events(stream);
  const asked = all.find((event) => event.type === "REQUIRE_USER_CONFIRM");
  const last = all.at(-1);
  if (last?.type === "TOOL_CALL_PARKED") return { parked: asked?.request.why ?? "unanswered" };
  if (last?.type !== "TOOL_RESULT_END") return last;
  const { state, text, metadata } = last.response;
  return metadata.code === undefined ? [state, text] : [state, metadata.code, text];
}

describe("a call that nobody is there to be asked about, with a store", () => {
  it("is parked: its question is kept, it has no result, and it has not run", async () => {
    await using world = new World();
    const all = await events(world.toolkit().run(CALL));
    const { items } = await world.store.approvals();
    const [approval] = items;
    expect(all.map(({ type }) => type)).toEqual([
      "TOOL_CALL_DECIDED",
      "REQUIRE_USER_CONFIRM",
      "TOOL_CALL_PARKED",
    ]);
    expect(all[1]).toMatchObject({
      request: { approvalId: approval?.id, toolName: "save", input: CALL.input },
    });
    expect(all[2]).toEqual({
      type: "TOOL_CALL_PARKED",
      callId: "c1",
      toolName: "save",
      approvalId: approval?.id,
    });
    expect(items).toMatchObject([
      {
        sessionId: "s1",
        callId: "c1",
        cwd: "/work",
        backendId: world.backend.id,
        files: [{ path: "/work/a.txt", realPath: "/work/a.txt", version: "absent" }],
        status: "pending",
        decision: { behavior: "ask" },
      },
    ]);
    expect(world.done).toEqual([]);
  });

  it("says so in the response of execute", async () => {
    await using world = new World();
    const response = await world.toolkit().execute("save", CALL.input, { id: "c1" });
    const [approval] = (await world.store.approvals()).items;
    expect([
      response.state,
      response.metadata.code,
      response.metadata.parked,
      response.metadata.approvalId,
    ]).toEqual(["denied", "approval_required", true, approval?.id]);
  });

  it("runs once after a yes, in another process, and is not asked about again", async () => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, YES);
    const all = await events(world.toolkit().resume(id));
    expect(all.map(({ type }) => type)).toEqual([
      "TOOL_CALL_DECIDED",
      "TOOL_RESULT_START",
      "TOOL_RESULT_TEXT_DELTA",
      "TOOL_RESULT_END",
    ]);
    expect(await outcome(world.toolkit().resume(id))).toEqual(["success", "saved new"]);
    expect(await outcome(world.toolkit().resumeCall("c1"))).toEqual(["success", "saved new"]);
    expect(world.done).toEqual(["/work/a.txt: new"]);
    expect((await world.store.approval(id))?.status).toBe("consumed");
  });

  it("stays parked with the same question while there is no answer, however often it is gone on with", async () => {
    await using world = new World();
    const { id } = await world.parked();
    for (const go of [
      () => world.toolkit().resume(id),
      () => world.toolkit().resumeCall("c1"),
      () => world.toolkit().resumeCall(CALL),
      () => world.toolkit().run(CALL),
    ]) {
      expect((await events(go())).at(-1)).toMatchObject({ type: "TOOL_CALL_PARKED", approvalId: id });
    }
    expect((await world.store.approvals()).items.length).toBe(1);
  });

  it("uses its yes as well when the loop makes the call again under its id", async () => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, YES);
    expect(await outcome(world.toolkit().run(CALL))).toEqual(["success", "saved new"]);
    expect((await world.store.approval(id))?.status).toBe("consumed");
  });

  it("ends denied after a no, with the person's words, each time it is gone on with", async () => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, { approved: false, by: "ann", feedback: "use b.txt" });
    const no = ["denied", "denied", "save was not run: ann said no. They said: use b.txt"];
    expect(await outcome(world.toolkit().resume(id))).toEqual(no);
    expect(await outcome(world.toolkit().resumeCall(CALL))).toEqual(no);
    // A rule that would allow it doesn't make the no undone.
    expect(await outcome(world.toolkit({ mode: "bypass" }).resume(id))).toEqual(no);
    expect(world.done).toEqual([]);
  });

  it("leaves the yes unused when it can't start, to be tried again", async () => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, YES);
    const audit = recordingAudit();
    audit.fail();
    expect(await outcome(world.toolkit({ audit }).resume(id))).toEqual([
      "error",
      "audit_unavailable",
      expect.anything(),
    ]);
    expect((await world.store.approval(id))?.status).toBe("approved");
    expect(await outcome(world.toolkit().resume(id))).toEqual(["success", "saved new"]);
    expect(world.done.length).toBe(1);
  });

  it("records who said yes, and each moment once", async () => {
    await using world = new World();
    const audit = recordingAudit();
    const { id } = await world.parked({ audit });
    await answerApproval(world.store, id, YES);
    await events(world.toolkit({ audit }).resume(id));
    expect(audit.entries.map(({ event, by }) => (by === undefined ? event : `${event} by ${by}`))).toEqual([
      "asked",
      "decided",
      "asked",
      "decided",
      "approved by ann",
      "started",
      "finished",
    ]);
  });
});

describe("an answered question whose call is not what it was", () => {
  const rows: readonly {
    readonly what: string;
    readonly change?: (world: World) => unknown;
    readonly expected: unknown;
    readonly options?: ToolkitOptions;
  }[] = [
    {
      what: "a file that it will change has appeared",
      change: (world) => world.put("/work/a.txt", "other"),
      expected: { parked: "/work/a.txt has changed since it was asked." },
    },
    {
      what: "the session is in another directory",
      change: (world) => {
        world.state.cwd = "/work/sub";
      },
      expected: { parked: "The working directory was /work and is /work/sub now." },
    },
    {
      what: "a deny rule stands against it",
      options: { rules: ["deny:save"] },
      expected: ["denied", "denied", expect.stringContaining("save")],
    },
    {
      what: "its tool is gone",
      options: { tools: [] },
      expected: ["error", "unknown_tool", expect.anything()],
    },
    { what: "a rule allows it", options: { rules: ["allow:save"] }, expected: ["success", "saved new"] },
    {
      what: "a rule allows it, and a file has changed",
      change: (world) => world.put("/work/a.txt", "other"),
      options: { rules: ["allow:save"] },
      expected: ["success", "saved new"],
    },
  ];

  it.each(rows)("is judged as things stand now: $what", async ({ change, expected, options }) => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, YES);
    await change?.(world);
    expect(await outcome(world.toolkit(options).resume(id))).toEqual(expected);
    expect(world.done.length).toBe(Array.isArray(expected) && expected[0] === "success" ? 1 : 0);
  });

  it("asks again with a new question, which takes the old one's place and can be answered", async () => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, YES);
    await world.put("/work/a.txt", "other");
    await events(world.toolkit().resume(id));
    const { items } = await world.store.approvals();
    expect(items.map(({ status, why }) => [status, why])).toEqual([
      ["withdrawn", undefined],
      ["pending", "/work/a.txt has changed since it was asked."],
    ]);
    const again = items[1]?.id ?? "";
    await answerApproval(world.store, again, YES);
    // The old id leads to what is asked now.
    expect(await outcome(world.toolkit().resume(id))).toEqual(["success", "saved new"]);
    expect(await outcome(world.toolkit().resume(again))).toEqual(["success", "saved new"]);
    expect(world.done.length).toBe(1);
  });

  it("asks again when the answer has expired", async () => {
    await using world = new World();
    const { id, expiresAt } = await world.parked({ limits: { approvalMs: 30 } });
    await answerApproval(world.store, id, YES);
    await new Promise((done) => setTimeout(done, 40));
    expect(await outcome(world.toolkit().resume(id))).toEqual({
      parked: `The approval expired at ${expiresAt}.`,
    });
    expect(world.done).toEqual([]);
  });

  it("asks again when it would run in another place", async () => {
    await using world = new World();
    const { id, backendId } = await world.parked();
    await answerApproval(world.store, id, YES);
    const backend = { ...memoryBackend(), id: "elsewhere" };
    expect(await outcome(world.toolkit({ backend }).resume(id))).toEqual({
      parked: `It was asked for another place, ${backendId}.`,
    });
  });

  it("asks again when a call of the same id has another input, and never runs that by the old yes", async () => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, YES);
    const other = { ...CALL, input: { path: "/work/b.txt", text: "other" } };
    expect(await outcome(world.toolkit().run(other))).toEqual({
      parked: "The input is another than the one that was asked about.",
    });
    expect(world.done).toEqual([]);
  });

  it("takes its question back when a rule has settled it before anybody answered", async () => {
    await using world = new World();
    const { id } = await world.parked();
    expect(await outcome(world.toolkit({ rules: ["allow:save"] }).resume(id))).toEqual([
      "success",
      "saved new",
    ]);
    expect((await world.store.approval(id))?.status).toBe("withdrawn");
    await refuses(answerApproval(world.store, id, YES), "stale");
  });
});

describe("an input that was edited with the yes", () => {
  const rows: readonly {
    readonly what: string;
    readonly input: JsonObject;
    readonly expected: unknown;
    readonly options?: ToolkitOptions;
  }[] = [
    {
      what: "runs in the call's place",
      input: { path: "/work/b.txt", text: "b" },
      expected: ["success", "saved b"],
    },
    {
      what: "is judged: a deny rule stands",
      input: { path: "/work/b.txt", text: "b" },
      options: { rules: ["deny:Edit(/work/b.txt)"] },
      expected: ["denied", "denied", expect.anything()],
    },
    {
      what: "is asked about by itself when it holds a danger that wasn't there before",
      input: { path: "/work/b.txt", text: "danger" },
      expected: { parked: "What the call would do is judged differently now." },
    },
    {
      what: "is asked about again when it doesn't fit the tool",
      input: { path: "/work/b.txt" },
      expected: { parked: expect.stringMatching(/^The edited input can't be used\. .*text/s) },
    },
  ];

  it.each(rows)("$what", async ({ input, expected, options }) => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, { ...YES, input });
    expect(await outcome(world.toolkit(options).resume(id))).toEqual(expected);
    expect(world.done.length).toBe(Array.isArray(expected) && expected[0] === "success" ? 1 : 0);
  });

  it("counts from an approver at hand too, without a store", async () => {
    await using world = new World();
    const { save, backend } = world;
    const approver: Approver = () => ({ ...YES, input: { path: "/work/b.txt", text: "b" } });
    const toolkit = new Toolkit({ tools: [save], backend, approver });
    expect((await toolkit.execute("save", CALL.input)).text).toBe("saved b");
  });
});

describe("rules that came with the yes", () => {
  const rule = { toolName: "save", ruleContent: null, behavior: "allow", source: "suggested" } as const;

  it("are the session's from then on, and settle what else is parked", async () => {
    await using world = new World();
    const { id } = await world.parked();
    const toolkit = world.toolkit();
    const second = { ...CALL, id: "c2", input: { path: "/work/b.txt", text: "b" } };
    await events(toolkit.run(second));
    await answerApproval(world.store, id, { ...YES, rules: [rule] });
    expect(await outcome(toolkit.resume(id))).toEqual(["success", "saved new"]);
    expect(toolkit.state.permissions.rules).toEqual([{ ...rule, source: "session" }]);
    expect(await outcome(toolkit.resumeCall(second))).toEqual(["success", "saved b"]);
    expect((await world.store.approvals({ status: "pending" })).items).toEqual([]);
  });

  it("are refused where they are no rules, and the question stays", async () => {
    await using world = new World();
    const { id } = await world.parked();
    const bad = { ...rule, toolName: "" };
    await refuses(answerApproval(world.store, id, { ...YES, rules: [bad] }), "invalid_rule");
    expect((await world.store.approval(id))?.status).toBe("pending");
  });
});

describe("an approver at hand, with a store", () => {
  const rows: readonly (readonly [what: string, approver: Approver, expected: unknown, status: string])[] = [
    ["says yes", () => YES, ["success", "saved new"], "consumed"],
    ["says no", () => ({ approved: false, by: "ann" }), ["denied", "denied", expect.anything()], "rejected"],
    ["doesn't answer", () => undefined, { parked: "unanswered" }, "pending"],
    ["fails", () => Promise.reject(new Error("no terminal")), { parked: "unanswered" }, "pending"],
  ];

  it.each(rows)("%s, and the store knows", async (_what, approver, expected, status) => {
    await using world = new World();
    expect(await outcome(world.toolkit({ approver }).run(CALL))).toEqual(expected);
    expect((await world.store.approvals()).items.map((approval) => approval.status)).toEqual([status]);
  });

  it("has the question in the store while they think, so that a crash doesn't lose it", async () => {
    await using world = new World();
    const approver: Approver = async ({ approvalId = "" }) => {
      expect((await world.store.approval(approvalId))?.status).toBe("pending");
      return YES;
    };
    expect(await outcome(world.toolkit({ approver }).run(CALL))).toEqual(["success", "saved new"]);
  });

  it("is told to stop when somebody elsewhere answers first, and that answer counts", async () => {
    await using world = new World();
    let stopped = false;
    const approver: Approver = async ({ approvalId = "" }, signal) => {
      await answerApproval(world.store, approvalId, { approved: false, by: "bob", feedback: "not today" });
      await new Promise((done) => signal.addEventListener("abort", done, { once: true }));
      stopped = true;
      return YES;
    };
    expect(await outcome(world.toolkit({ approver }).run(CALL))).toEqual([
      "denied",
      "denied",
      "save was not run: bob said no. They said: not today",
    ]);
    expect([stopped, world.done]).toEqual([true, []]);
  });

  it("is overruled by an answer that was there a moment before", async () => {
    await using world = new World();
    const approver: Approver = async ({ approvalId = "" }) => {
      await answerApproval(world.store, approvalId, { approved: false, by: "bob" });
      return YES;
    };
    expect(await outcome(world.toolkit({ approver }).run(CALL))).toEqual([
      "denied",
      "denied",
      expect.anything(),
    ]);
    expect(world.done).toEqual([]);
  });

  it("leaves no question behind when the call is cancelled meanwhile", async () => {
    await using world = new World();
    const cancel = new AbortController();
    const approver: Approver = () => {
      cancel.abort();
      return new Promise(() => undefined);
    };
    const toolkit = world.toolkit({ approver, limits: { graceMs: 10 } });
    const response = await toolkit.execute("save", CALL.input, { signal: cancel.signal });
    expect(response.state).toBe("interrupted");
    expect((await world.store.approvals()).items.map(({ status }) => status)).toEqual(["withdrawn"]);
  });
});

describe("several at once", () => {
  it("go on with the same approved call in several processes: it runs once", async () => {
    await using world = new World();
    const { id } = await world.parked();
    await answerApproval(world.store, id, YES);
    const all = await Promise.all([1, 2, 3, 4].map(() => outcome(world.toolkit().resume(id))));
    expect(world.done.length).toBe(1);
    expect(all).toContainEqual(["success", "saved new"]);
  });

  it("answer the same question: one wins, and the others hear of it", async () => {
    await using world = new World();
    const { id } = await world.parked();
    const answers = await Promise.allSettled(
      ["ann", "bob", "eve"].map(
        (by): Promise<unknown> => answerApproval(world.store, id, { approved: true, by }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
  });

  it("are parked in one turn: what comes after is not begun, and only the one that was answered goes on", async () => {
    await using world = new World();
    const calls = ["c1", "c2", "c3"].map((id) => ({ ...CALL, id, input: { path: `/work/${id}`, text: id } }));
    const all = await events(world.toolkit().runBatch(calls));
    const parked = all.filter(({ type }) => type === "TOOL_CALL_PARKED");
    const { items } = await world.store.approvals();
    const id = items[0]?.id ?? "";
    expect(items.length).toBe(1);
    expect(parked).toEqual([
      { type: "TOOL_CALL_PARKED", callId: "c1", toolName: "save", approvalId: id },
      { type: "TOOL_CALL_PARKED", callId: "c2", toolName: "save" },
      { type: "TOOL_CALL_PARKED", callId: "c3", toolName: "save" },
    ]);
    await answerApproval(world.store, id, YES);
    await events(world.toolkit().resume(id));
    expect(world.done).toEqual(["/work/c1: c1"]);
  });

  it("of different sessions have calls of the same id, and each its own question", async () => {
    await using world = new World();
    const { id } = await world.parked();
    const other = newState({ sessionId: "s2", cwd: "/work" });
    await events(world.toolkit({ state: other }).run(CALL));
    await answerApproval(world.store, id, YES);
    expect(await outcome(world.toolkit({ state: other }).resumeCall("c1"))).toEqual({ parked: "unanswered" });
    await refuses(events(world.toolkit({ state: other }).resume(id)), "not_found");
    expect(await outcome(world.toolkit().resumeCall("c1"))).toEqual(["success", "saved new"]);
  });
});

describe("what was started", () => {
  it("is kept with how it ended; what only reads is not", async () => {
    await using world = new World();
    const look = defineTool({
      name: "look",
      description: "",
      isReadOnly: true,
      input: {},
      call: () => "seen",
    });
    const toolkit = world.toolkit({ mode: "bypass", tools: [world.save, look] });
    await events(toolkit.run(CALL));
    await toolkit.execute("look");
    const { items } = await world.store.calls();
    expect(items).toMatchObject([
      {
        callId: "c1",
        toolName: "save",
        input: CALL.input,
        cwd: "/work",
        external: false,
        outcome: { state: "success" },
      },
    ]);
    expect(await outcome(toolkit.resumeCall("c1"))).toEqual(["success", "saved new"]);
    expect(world.done.length).toBe(1);
  });

  it("is not run again while nobody knows how it ended", async () => {
    await using world = new World();
    const { toolName, input, ...rest } = {
      toolName: "save",
      input: CALL.input,
      cwd: "/work",
      backendId: "local",
    };
    await world.store.start({
      ...rest,
      id: "r",
      sessionId: "s1",
      callId: "c1",
      toolName,
      input,
      external: false,
    });
    const toolkit = world.toolkit({ mode: "bypass" });
    for (const go of [
      () => toolkit.run(CALL),
      () => toolkit.resumeCall(CALL),
      () => toolkit.resumeCall("c1"),
    ]) {
      expect(await outcome(go())).toEqual([
        "interrupted",
        "unknown_outcome",
        expect.stringContaining("save call c1"),
      ]);
    }
    expect(world.done).toEqual([]);
  });

  it("doesn't run when the store can't be written", async () => {
    await using world = new World();
    await world.store[Symbol.asyncDispose]();
    expect(await outcome(world.toolkit({ mode: "bypass" }).run(CALL))).toEqual([
      "error",
      "store_unavailable",
      expect.anything(),
    ]);
    expect(await outcome(world.toolkit().run(CALL))).toEqual([
      "error",
      "store_unavailable",
      expect.anything(),
    ]);
    expect(world.done).toEqual([]);
  });

  it("can only be gone on with where there is a store, and something is known", async () => {
    await using world = new World();
    await refuses(events(new Toolkit().resume("a")), "usage");
    await refuses(events(world.toolkit().resume("a")), "not_found");
    await refuses(events(world.toolkit().resumeCall("a")), "not_found");
    expect(await outcome(world.toolkit({ mode: "bypass" }).resumeCall(CALL))).toEqual([
      "success",
      "saved new",
    ]);
  });
});

describe("an external tool with a store", () => {
  class Human extends ToolBase {
    readonly name = "human";
    readonly description = "Somebody does it.";
    readonly inputSchema = { type: "object" } as const;
    override readonly isExternalTool = true;
    override readonly isReadOnly = true;
  }
  const human = new Human();

  it("is parked until somebody hands in its result, from whatever process; the first result counts", async () => {
    await using world = new World();
    const toolkit = world.toolkit({ tools: [human] });
    const all = await events(toolkit.run({ id: "h1", name: "human", input: {} }));
    const [record] = (await world.store.calls()).items;
    const recordId = record?.id ?? "";
    expect(all.slice(-2)).toEqual([
      { type: "REQUIRE_EXTERNAL_EXECUTION", callId: "h1", toolName: "human", input: {}, recordId },
      { type: "TOOL_CALL_PARKED", callId: "h1", toolName: "human", recordId },
    ]);
    const later = world.toolkit({ tools: [human] });
    expect((await events(later.resumeCall("h1"))).at(-1)).toMatchObject({
      type: "TOOL_CALL_PARKED",
      recordId,
    });
    expect(await world.store.unfinishedCalls()).toEqual([]);
    await answerExternal(world.store, recordId, "done by hand");
    await refuses(answerExternal(world.store, recordId, "again"), "stale");
    expect(await outcome(later.resumeCall("h1"))).toEqual(["success", "done by hand"]);
  });

  it("takes no result for a call that runs here", async () => {
    await using world = new World();
    await events(world.toolkit({ mode: "bypass" }).run(CALL));
    const [record] = (await world.store.calls()).items;
    await refuses(answerExternal(world.store, record?.id ?? "", "forged"), "not_found");
    await refuses(answerExternal(world.store, "nothing", "forged"), "not_found");
  });
});

describe("every kind of answer", () => {
  it.each<ApprovalAnswer>([
    YES,
    { approved: false, by: "ann" },
    { approved: false, by: "ann", feedback: "no" },
    { ...YES, input: { path: "/work/b.txt", text: "b" } },
    { ...YES, rules: [{ toolName: "save", ruleContent: null, behavior: "allow", source: "session" }] },
  ])("is the same after it was kept: %j", async (answer) => {
    await using world = new World();
    const { id } = await world.parked();
    const { at, ...kept } = (await answerApproval(world.store, id, answer)).answer ?? { at: "" };
    expect(kept).toEqual(answer);
    expect((await world.store.approval(id))?.answer).toEqual({ ...answer, at });
  });
});
