import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerTo, type Script } from "../../../test/job-world.ts";
import { ModelServer, type Scripted, type SeenRequest } from "../../../test/model-server.ts";
import { startPostgres } from "../../../test/postgres.ts";
import { has } from "../../../test/require.ts";
import { postgresStore } from "../../store/postgres.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import { codingTools } from "../../tools/presets.ts";
import { dbosEngine } from "../dbos.ts";
import type { JobEngine } from "../engine.ts";
import type { Job } from "../job.ts";
import { workflowView } from "../workflow/view.ts";
import { AgentJobs } from "./agent-jobs.ts";

const WORKER = join(import.meta.dirname, "../fixtures/agent-worker.ts");
const SCHEMA = "agents";

function bash(command: string): Scripted {
  return { calls: [{ name: "Bash", arguments: { command }, id: "c1" }] };
}

async function worker(databaseUrl: string, modelUrl: string): Promise<ChildProcess> {
  const child = fork(WORKER, [databaseUrl, SCHEMA, modelUrl], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await Promise.race([once(child, "message"), once(child, "exit")]);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function come<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  const end = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error("It didn't come about within a minute.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function waitingFor(engine: JobEngine, id: string, what: string): Promise<Job> {
  return come(async () => {
    const job = await engine.get(id);
    return job?.waiting?.for === what ? job : undefined;
  });
}

describe.skipIf(!has("postgres") || !has("bash"))("a worker that is killed", () => {
  it("loses nothing of its sub-agents and workflows, and does nothing twice", {
    timeout: 120_000,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "toolgate-agents-"));
    await using server = await startPostgres();
    let isAsking = false;
    const hangsOnce = (): Scripted => {
      if (isAsking) return { text: "answered at last" };
      isAsking = true;
      return { text: "I think", hang: true };
    };
    const script: Script = {
      "Your task: task of first": [bash("echo first >> log"), { text: "first output" }],
      // The first run is cut off in its middle; nobody knows whether it had done its work.
      "Your task: task of second": [
        bash("if [ -e begun ]; then echo second >> log; else touch begun; sleep 3; fi"),
        { text: "second output" },
      ],
      "Your task: task of third": [bash("echo third >> log"), { text: "third output" }],
      "take it": [bash("touch taking; sleep 3"), { text: "taken" }],
      "fail it": [bash("touch failing; sleep 3"), { text: "failed" }],
      "think long": [bash("echo thinker >> log"), hangsOnce],
      "ask first": [bash("echo asker >> log && rm -f nothing"), { text: "asked and done" }],
    };
    await using model = await ModelServer.answering((seen) => answerTo(script, seen));
    await using store = postgresStore({ url: server.url });
    await using engine = dbosEngine({ databaseUrl: server.url, schema: SCHEMA, maxConnections: 3 });
    await using jobs = new AgentJobs({ engine, store, model: model.model(), toolkit: () => ({}) });
    const rules = [
      "allow:Bash(echo:*)",
      "allow:Bash(if:*)",
      "allow:Bash(touch:*)",
      "allow:Bash(sleep:*)",
    ] as const;
    await using toolkit = new Toolkit({
      tools: codingTools(),
      cwd: folder,
      store,
      rules: [...rules, "ask:Bash(rm:*)"],
    });
    toolkit.register(jobs.tools(toolkit));

    const first = await worker(server.url, model.url);
    const start = async (tool: string, input: Parameters<Toolkit["execute"]>[1]): Promise<string> =>
      String((await toolkit.execute(tool, input)).metadata.jobId);
    const agent = (id: string, needs: readonly string[] = []) => ({
      id,
      task: `task of ${id}`,
      depends_on: needs,
    });
    const flow = await start("workflow_run", {
      goal: "Ship it",
      mode: "graph",
      agents: [agent("first"), agent("second", ["first"]), agent("third", ["second"])],
      wait: false,
    });
    const thinker = await start("spawn", { task: "think long" });
    const asker = await start("spawn", { task: "ask first" });
    const takes = await start("spawn", { task: "take it" });
    const fails = await start("spawn", { task: "fail it" });
    const files = ["begun", "taking", "failing"].map((name) => join(folder, name));
    await come(async () => files.every((file) => existsSync(file)) && isAsking);
    const question = await waitingFor(engine, asker, "message");
    await kill(first);
    expect(question.waiting?.reason).toContain("Bash needs a person's answer");

    const [approval] = (await store.approvals({ sessionId: asker, status: "pending" })).items;
    await store.answer(approval?.id ?? "", { approved: true, by: "ann" });
    const second = await worker(server.url, model.url);
    try {
      const cut = await waitingFor(engine, `${flow}.second`, "unknown_outcome");
      expect(cut.waiting?.topic).toBe("run c1");
      await engine.decide(cut.id, { do: "again" }, "ann");
      await waitingFor(engine, takes, "unknown_outcome");
      await engine.decide(takes, { do: "take", result: "all of it" }, "ann");
      await waitingFor(engine, fails, "unknown_outcome");
      await engine.decide(fails, { do: "fail", message: "It was in vain." }, "ann");
      const ends = await Promise.all(
        [flow, thinker, asker, takes, fails].map((id) => engine.wait(id, AbortSignal.timeout(60_000))),
      );
      expect(ends.map(({ status }) => status)).toEqual(Array(5).fill("completed"));
      const views = await workflowView(engine, ends[0] as Job);
      expect(views.map(({ status }) => status)).toEqual(["done", "done", "done"]);
      const log = (await readFile(join(folder, "log"), "utf8")).trim().split("\n").toSorted();
      expect(log).toEqual(["asker", "first", "second", "thinker", "third"]);
      const turns = (text: string) => model.requests.filter((seen) => saying(seen, text)).length;
      const told = JSON.stringify(model.requests.flatMap(({ messages }) => messages));
      expect(told).toContain("a person says that it has done its work. It gave:");
      expect(told).toContain("It was in vain.");
      // Each turn was asked for once, but for the one that was cut off.
      expect([turns("task of first"), turns("think long"), turns("ask first")]).toEqual([2, 3, 2]);
      expect(toolkit.state.jobs?.toSorted()).toEqual([flow, thinker, asker, takes, fails].toSorted());
      const news = await toolkit.get("spawn")?.news?.(toolkit.state);
      expect(news?.map((text) => text.includes("completed"))).toEqual(Array(5).fill(true));
    } finally {
      await kill(second);
      await rm(folder, { recursive: true, force: true });
    }
  });
});

function saying({ messages }: SeenRequest, text: string): boolean {
  const first = messages.find(({ role }) => role === "user");
  return (
    JSON.stringify(first?.content ?? "").includes(`Your task: ${text}`) ||
    JSON.stringify(first?.content ?? "") === JSON.stringify(text)
  );
}
