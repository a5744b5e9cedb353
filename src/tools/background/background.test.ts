import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ModelServer } from "../../../test/model-server.ts";
import { Agent } from "../../agent/agent.ts";
import { memoryAuditLog } from "../../audit/memory-log.ts";
import { memoryBackend } from "../../backends/memory.ts";
import { toolChunk } from "../../chunk.ts";
import { defineTool } from "../../define-tool.ts";
import { ToolgateError } from "../../errors.ts";
import { timeout } from "../../middleware/timeout.ts";
import { memoryStore } from "../../store/memory.ts";
import { ToolBase } from "../../tool-base.ts";
import type { ToolkitOptions } from "../../toolkit/options.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import { BackgroundOutput } from "../background-output.ts";
import { BackgroundStop } from "../background-stop.ts";
import { Bash } from "../bash.ts";
import { BackgroundCalls, type BackgroundOptions } from "./background-calls.ts";

/** A tool that says what it is told when it is told, with everything round it. */
interface World extends AsyncDisposable {
  readonly toolkit: Toolkit;
  readonly calls: BackgroundCalls;
  /** Lets it go on to its end. */
  readonly go: PromiseWithResolvers<void>;
  readonly signals: AbortSignal[];
}

function world(options: BackgroundOptions = {}, more: Partial<ToolkitOptions> = {}): World {
  const calls = new BackgroundCalls({ afterMs: 30, ...options });
  const go = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const slow = defineTool({
    name: "slow",
    description: "Takes its time.",
    input: { type: "object", properties: { fails: { type: "boolean" } }, additionalProperties: false },
    middlewares: [calls.middleware],
    async *call({ fails }, { signal, progress }) {
      signals.push(signal);
      yield "begun\n";
      await wait(60);
      yield "halfway\n";
      progress("half of it");
      const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      if (!signal.aborted) await Promise.race([go.promise, stopped]);
      if (signal.aborted) throw new ToolgateError("aborted", "It was told to end.");
      if (fails) throw new Error("no luck");
      yield "done";
    },
  });
  const toolkit = new Toolkit({
    tools: [slow, new BackgroundOutput({ calls }), new BackgroundStop({ calls }), ...(more.tools ?? [])],
    backend: memoryBackend(),
    mode: "bypass",
    ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== "tools")),
  });
  return {
    toolkit,
    calls,
    go,
    signals,
    async [Symbol.asyncDispose]() {
      go.resolve();
      await toolkit[Symbol.asyncDispose]();
    },
  };
}

describe("a call that takes long", () => {
  it("is answered with an id, read while it runs, and told of once under it", async () => {
    await using the = world();
    const { toolkit } = the;
    const response = await toolkit.execute("slow", {});
    expect([response.state, response.metadata]).toEqual(["success", { backgroundId: "bg_1", running: true }]);
    expect(response.text).toMatch(
      /^begun\n\[slow takes longer than 0\.03 s and goes on in the background as bg_1\./,
    );
    const live = await toolkit.execute("BackgroundOutput", { id: "bg_1", wait_ms: 5000 });
    expect(live.text).toMatch(/^halfway\n\n\[bg_1 \(slow\) running for \d s/);
    expect(toolkit.get("BackgroundOutput")?.news?.(toolkit.state)).toEqual([]);
    the.go.resolve();
    await the.calls.get(toolkit.state.sessionId, "bg_1").ended;
    expect(toolkit.get("BackgroundOutput")?.news?.(toolkit.state)).toEqual([
      "The slow call that went on in the background as bg_1 has ended: success.\n\ndone",
    ]);
    expect(toolkit.get("BackgroundOutput")?.news?.(toolkit.state)).toEqual([]);
    const after = await toolkit.execute("BackgroundOutput", { id: "bg_1" });
    expect(after.text).toBe("(no new output)\n[bg_1 (slow) ended: success.]");
  });

  it("is told of in the agent's next turn, unless its end was read", async () => {
    await using the = world();
    await using server = await ModelServer.start(
      { calls: [{ name: "slow", arguments: {} }] },
      { text: "I wait." },
      { text: "Good." },
      { text: "Nothing new." },
    );
    const agent = new Agent({ model: server.model(), toolkit: the.toolkit });
    await agent.reply("begin");
    the.go.resolve();
    await the.calls.get(the.toolkit.state.sessionId, "bg_1").ended;
    await agent.reply("and?");
    await agent.reply("and now?");
    const hints = JSON.stringify(server.requests[3]?.messages).match(
      /went on in the background as bg_1 has ended/g,
    );
    expect(hints).toHaveLength(1);
  });

  it("fails in the background as it would have in the open", async () => {
    await using the = world();
    await the.toolkit.execute("slow", { fails: true });
    the.go.resolve();
    await the.calls.get(the.toolkit.state.sessionId, "bg_1").ended;
    const { text } = await the.toolkit.execute("BackgroundOutput", { id: "bg_1" });
    expect(text).toBe("halfway\n\n\n[no luck]\n[bg_1 (slow) ended: error.]");
  });

  it("is stopped by its id, and by nothing else: not by its caller's signal, not with its toolkit's neighbours", async () => {
    await using the = world();
    const caller = new AbortController();
    await the.toolkit.execute("slow", {}, { signal: caller.signal });
    caller.abort();
    await wait(10);
    expect(the.signals[0]?.aborted).toBe(false);
    const stop = await the.toolkit.execute("BackgroundStop", { id: "bg_1" });
    expect(stop.text).toMatch(/\[It was told to end\.\]\n\[bg_1 \(slow\) stopped\.\]$/);
    expect(stop.metadata).toMatchObject({ running: false, state: "interrupted" });
    expect(the.signals[0]?.aborted).toBe(true);
  });

  it("is stopped when its time is over, and when its toolkit goes", async () => {
    const the = world({ maxMs: 100 });
    await the.toolkit.execute("slow", {});
    await the.calls.get(the.toolkit.state.sessionId, "bg_1").ended;
    expect((await the.toolkit.execute("BackgroundOutput", { id: "bg_1" })).metadata.state).toBe(
      "interrupted",
    );
    await the.toolkit.execute("slow", {});
    await the.toolkit[Symbol.asyncDispose]();
    expect(the.signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it("leaves a quick one, and one that is cancelled in time, as they are", async () => {
    await using the = world({ afterMs: 60_000 });
    the.go.resolve();
    const quick = await the.toolkit.execute("slow", {});
    expect([quick.text, quick.metadata]).toEqual(["begun\nhalfway\ndone", {}]);
    const caller = new AbortController();
    const running = the.toolkit.execute("slow", {}, { signal: caller.signal });
    caller.abort();
    expect((await running).state).toBe("interrupted");
    expect(the.calls.list(the.toolkit.state.sessionId)).toEqual([]);
  });

  it("has one record of its start and one of its end, which tells both", async () => {
    const audit = memoryAuditLog();
    await using store = memoryStore();
    await using the = world({}, { audit, store });
    await the.toolkit.execute("slow", {}, { id: "c1" });
    const events = () => audit.records.filter(({ callId }) => callId === "c1");
    expect(events().map(({ event }) => event)).toEqual(["asked", "decided", "started"]);
    expect((await store.calls({ callId: "c1" })).items[0]?.finishedAt).toBeUndefined();
    the.go.resolve();
    await the.calls.get(the.toolkit.state.sessionId, "bg_1").isRecorded;
    expect(events().map(({ event }) => event)).toEqual(["asked", "decided", "started", "finished"]);
    expect(events().at(-1)).toMatchObject({
      state: "success",
      reason: "Answered after 30 ms; it went on in the background as bg_1.",
    });
    expect((await store.calls({ callId: "c1" })).items[0]?.outcome).toMatchObject({ state: "success" });
  });

  it("bounds what it keeps of an endless one", async () => {
    const calls = new BackgroundCalls({ afterMs: 5 });
    const endless = defineTool({
      name: "endless",
      description: "",
      input: {},
      isReadOnly: true,
      middlewares: [calls.middleware],
      async *call() {
        for (let n = 0; n < 3000; n += 1) {
          yield `${"x".repeat(999)}\n`;
          if (n % 100 === 0) await wait(2);
        }
      },
    });
    await using toolkit = new Toolkit({
      tools: [endless, new BackgroundOutput({ calls })],
      backend: memoryBackend(),
    });
    const { metadata } = await toolkit.execute("endless", {});
    expect(metadata.backgroundId).toBe("bg_1");
    await calls.get(toolkit.state.sessionId, "bg_1").ended;
    const { text } = await toolkit.execute("BackgroundOutput", { id: "bg_1" });
    expect(text.length).toBeLessThan(21_000);
    expect(text).toContain("characters are left out here");
  });

  it("works inside other middlewares", async () => {
    const calls = new BackgroundCalls({ afterMs: 10 });
    const tool = defineTool({
      name: "t",
      description: "",
      input: {},
      isReadOnly: true,
      middlewares: [calls.middleware, timeout(200)],
      async *call() {
        yield "a";
        await wait(60_000, undefined, { ref: false });
      },
    });
    await using toolkit = new Toolkit({
      tools: [tool, new BackgroundOutput({ calls })],
      backend: memoryBackend(),
    });
    await toolkit.execute("t", {});
    const end = await calls.get(toolkit.state.sessionId, "bg_1").ended;
    expect([end.state, end.metadata.code]).toEqual(["error", "timeout"]);
  });
});

describe("what is never moved", () => {
  class Injected extends ToolBase {
    readonly name = "injected";
    readonly description = "";
    readonly inputSchema: { readonly type: "object" } = { type: "object" };
    override readonly isReadOnly = true;
    override readonly isStateInjected = true;
    override async call() {
      await wait(80);
      return toolChunk({ text: "whole" });
    }
  }

  class Elsewhere extends ToolBase {
    readonly name = "x";
    readonly description = "";
    readonly inputSchema: { readonly type: "object" } = { type: "object" };
    override readonly isExternalTool = true;
  }

  it("a tool that works on the session's state", async () => {
    const calls = new BackgroundCalls({ afterMs: 10 });
    await using toolkit = new Toolkit({
      tools: [new Injected({ middlewares: [calls.middleware] })],
      backend: memoryBackend(),
    });
    expect((await toolkit.execute("injected", {})).text).toBe("whole");
  });

  it("a tool that others carry out", async () => {
    const calls = new BackgroundCalls({ afterMs: 10 });
    const tool = new Elsewhere({ middlewares: [calls.middleware] });
    await using toolkit = new Toolkit({
      tools: [tool],
      backend: memoryBackend(),
      mode: "bypass",
      external: () => wait(80, "theirs"),
    });
    expect((await toolkit.execute("x", {})).text).toBe("theirs");
  });
});

describe("one way to read and stop", () => {
  it("holds for Bash's own background commands too", async () => {
    const calls = new BackgroundCalls();
    await using toolkit = new Toolkit({
      tools: [new Bash(), new BackgroundOutput({ calls }), new BackgroundStop({ calls })],
      mode: "bypass",
    });
    await toolkit.execute("Bash", { command: "echo one; sleep 311", run_in_background: true });
    expect((await toolkit.execute("BackgroundOutput", { id: "bash_1", wait_ms: 5000 })).text).toMatch(
      /^one\n\[bash_1 running/,
    );
    expect((await toolkit.execute("BackgroundStop", { id: "bash_1" })).text).toContain("[bash_1 stopped.]");
  });

  it("sees one session's calls only", async () => {
    await using the = world();
    await the.toolkit.execute("slow", {});
    await using other = new Toolkit({
      tools: [new BackgroundStop({ calls: the.calls })],
      backend: memoryBackend(),
    });
    const response = await other.execute("BackgroundStop", { id: "bg_1" });
    expect([response.metadata.code, the.signals[0]?.aborted]).toEqual(["not_found", false]);
  });
});
