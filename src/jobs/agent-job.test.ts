import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { ModelServer, type Scripted } from "../../test/model-server.ts";
import { Agent } from "../agent/agent.ts";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import { answerApproval } from "../gate/answer-approval.ts";
import { memoryStore } from "../store/memory.ts";
import { openSession } from "../store/session.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { agentJob, agentSessionId } from "./agent-job.ts";
import { tellAnswered } from "./awaited-answers.ts";
import type { JobEngine } from "./engine.ts";
import { inProcess } from "./in-process.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

/** An engine whose agents have a tool that may be used and one that is asked about. */
async function world(...script: readonly Scripted[]) {
  const server = await ModelServer.start(...script);
  const store = memoryStore();
  const engine = inProcess();
  open.push(server, store, engine);
  const ran: string[] = [];
  const tool = (name: string) =>
    defineTool({
      name,
      description: "",
      input: { type: "object", properties: {} },
      call: () => {
        ran.push(name);
        return `${name} has run`;
      },
    });
  const { handler, options } = agentJob({
    store,
    async open(job, input) {
      const session = await openSession(store, { sessionId: agentSessionId(job, input), cwd: "/" });
      const toolkit = new Toolkit({
        tools: [tool("note"), tool("ask")],
        backend: memoryBackend(),
        store,
        state: session.state,
        rules: ["allow:note"],
      });
      const agent = new Agent({ model: server.model(), toolkit, session });
      return { agent, [Symbol.asyncDispose]: () => toolkit[Symbol.asyncDispose]() };
    },
  });
  engine.register("agent", handler, options);
  await engine.launch();
  return { server, store, engine, ran };
}

const calling = (name: string, id = name): Scripted => ({
  calls: [{ id: `call-${id}`, name, arguments: {} }],
});
const DONE: Scripted = { text: "Done." };

function ended(engine: JobEngine, id: string) {
  return engine.wait(id, AbortSignal.timeout(20_000));
}

async function waiting(engine: JobEngine, id: string) {
  await expect.poll(async () => (await engine.get(id))?.status, { timeout: 20_000 }).toBe("waiting");
  return engine.get(id);
}

describe("an agent as a job", () => {
  it("gives its last words as the result, and says what it does meanwhile", async () => {
    const { engine, ran } = await world(calling("note"), DONE);
    const id = await engine.enqueue({ kind: "agent", input: { prompt: "Note it." } });
    expect(await ended(engine, id)).toMatchObject({ status: "completed", result: { text: "Done." } });
    expect(ran).toEqual(["note"]);
    const told: string[] = [];
    for await (const { progress } of engine.events(id))
      if (progress !== undefined) told.push(progress.message);
    expect(told).toEqual([expect.stringMatching(/^turn 1/), "note {}", expect.stringMatching(/^turn 2/)]);
  });

  it.each([true, false])("waits for a person's answer, and goes on with it (told: %s)", async (isTold) => {
    const { engine, store, ran, server } = await world(calling("ask"), DONE);
    const id = await engine.enqueue({ kind: "agent", input: { prompt: "Ask.", session: "talk" } });
    const job = await waiting(engine, id);
    expect(job?.waiting).toMatchObject({ for: "message", reason: expect.stringContaining("ask waits") });
    const [question] = (await store.approvals({ sessionId: "talk" })).items;
    expect(job?.waiting?.detail).toMatchObject({ sessionId: "talk", approvalIds: [question?.id] });
    expect(ran).toEqual([]);
    await answerApproval(store, question?.id ?? "", { approved: true, by: "ann" });
    if (isTold) await tellAnswered(engine, "talk");
    expect(await ended(engine, id)).toMatchObject({ status: "completed", result: { text: "Done." } });
    expect(ran).toEqual(["ask"]);
    expect(server.requests).toHaveLength(2);
  });

  it("goes on once, however often it is told, and waits for its next question", async () => {
    const { engine, store, server } = await world(calling("ask", "1"), calling("ask", "2"), DONE);
    const id = await engine.enqueue({ kind: "agent", input: { prompt: "Ask twice.", session: "talk" } });
    for (const taken of [2, 3]) {
      await waiting(engine, id);
      const [question] = (await store.approvals({ sessionId: "talk", status: "pending" })).items;
      await answerApproval(store, question?.id ?? "", { approved: true, by: "ann" });
      await Promise.all([1, 2, 3].map(() => tellAnswered(engine, "talk")));
      // Whoever looks by itself does so within this time.
      await setTimeout(4500);
      const turns: string[] = [];
      for await (const { step = "", phase } of engine.events(id)) {
        if (step.startsWith("turn") && phase === "done") turns.push(step);
      }
      expect(turns).toHaveLength(taken);
    }
    expect(await ended(engine, id)).toMatchObject({ status: "completed", result: { text: "Done." } });
    expect(server.requests).toHaveLength(3);
  });

  it("is interrupted when it is cancelled, and goes on when it is resumed", async () => {
    const { engine, server } = await world({ text: "I began", hang: true }, { text: "Done at last." });
    const id = await engine.enqueue({ kind: "agent", input: { prompt: "Talk." } });
    await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(1);
    await engine.cancel(id);
    await expect.poll(async () => (await engine.get(id))?.status).toBe("cancelled");
    await engine.resume(id);
    expect(await ended(engine, id)).toMatchObject({ status: "completed", result: { text: "Done at last." } });
    expect(server.requests).toHaveLength(2);
  });

  it("fails with its model, and goes on from there when it is resumed", async () => {
    const { engine, server, ran } = await world(calling("note"), { status: 400 }, DONE);
    const id = await engine.enqueue({ kind: "agent", input: { prompt: "Note it." } });
    expect(await ended(engine, id)).toMatchObject({ status: "failed", error: { code: "model_failed" } });
    await engine.resume(id);
    expect(await ended(engine, id)).toMatchObject({ status: "completed", result: { text: "Done." } });
    expect([ran, server.requests.length]).toEqual([["note"], 3]);
  });

  it("has all its turns again when it is resumed after they were used up", async () => {
    const turns = Array.from({ length: 30 }, (_one, at) => calling("note", `${at}`));
    const { engine, server } = await world(...turns, DONE);
    const id = await engine.enqueue({ kind: "agent", input: { prompt: "Note it." } });
    expect((await ended(engine, id)).error?.message).toMatch(/as many turns as it may take/);
    expect(server.requests).toHaveLength(25);
    await engine.resume(id);
    expect(await ended(engine, id)).toMatchObject({ status: "completed", result: { text: "Done." } });
    expect(server.requests).toHaveLength(31);
  });

  it("needs a prompt", async () => {
    const { engine } = await world();
    const id = await engine.enqueue({ kind: "agent", input: {} });
    expect(await ended(engine, id)).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
  });
});
