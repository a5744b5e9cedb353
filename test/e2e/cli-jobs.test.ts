import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ModelServer, type Scripted } from "../model-server.ts";
import { startPostgres, type TestPostgres } from "../postgres.ts";
import { has } from "../require.ts";
import { type Ended, Playground, PROGRAM, until } from "./toolgate.ts";

describe.skipIf(!has("postgres"))("toolgate jobs and toolgate worker", { timeout: 90_000 }, () => {
  let database: TestPostgres;
  let play: Playground;
  let model: ModelServer;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    database = await startPostgres();
  }, 60_000);
  afterAll(() => database[Symbol.asyncDispose]());
  beforeEach(async () => {
    play = await new Playground().make();
    model = await ModelServer.start();
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await end(worker, "SIGKILL");
    await model[Symbol.asyncDispose]();
    play[Symbol.dispose]();
  });

  const env = () => ({ ...play.env, TOOLGATE_DATABASE_URL: database.url, NODE_NO_WARNINGS: "1" });

  async function toolgate(...args: string[]): Promise<Ended> {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: play.project, env: env() });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
      });
    }
    const [code] = await once(child, "close");
    return { code, ...output };
  }

  /** A worker that runs. */
  async function worker(...args: string[]): Promise<ChildProcess> {
    const flags = ["worker", "--json", "--model", "openai/scripted", "--base-url", model.url, ...args];
    const child = spawn(process.execPath, [PROGRAM, ...flags], {
      cwd: play.project,
      env: env(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    workers.push(child);
    await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    return child;
  }

  async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    }
    return child.exitCode;
  }

  async function started(prompt: string, ...args: string[]): Promise<string> {
    const { stdout } = await toolgate("jobs", "start", prompt, ...args);
    return stdout.trim();
  }

  async function job(id: string): Promise<Record<string, unknown>> {
    return JSON.parse((await toolgate("jobs", "show", id, "--json")).stdout);
  }

  const bash = (command: string): Scripted => ({ calls: [{ name: "Bash", arguments: { command } }] });
  const text = (name: string) => readFileSync(join(play.project, name), "utf8");

  it("run an agent that waits for a person's yes, and goes on in another process with it", async () => {
    model.add(bash("echo made >> made.txt"), { text: "It is made." });
    const first = await worker();
    const id = await started("Make it.");
    await until(async () => (await job(id)).status === "waiting", 60_000);
    expect(await end(first, "SIGTERM")).toBe(0);
    expect((await toolgate("jobs", "list")).stdout).toMatch(
      /◐ waiting {2}Make it\. {2}Bash waits for a person/,
    );
    const { stdout } = await toolgate("approvals", "list", "--json");
    const [approval] = JSON.parse(stdout).approvals;
    expect((await toolgate("approvals", "approve", approval.id)).code).toBe(0);
    await worker();
    const { code, stdout: shown } = await toolgate("jobs", "show", id, "--follow");
    expect(code).toBe(0);
    expect(shown).toContain("✓ completed  Make it.");
    expect(await job(id)).toMatchObject({ status: "completed", result: { text: "It is made." } });
    expect(text("made.txt")).toBe("made\n");
  });

  it("go on at once when they are answered at a shell, whichever process has them", async () => {
    await model[Symbol.asyncDispose]();
    model = await ModelServer.answering(({ messages }) => {
      const said = JSON.stringify(messages.slice(1));
      const [, name = ""] = /Make (\w+)/.exec(said) ?? [];
      return said.includes("tool_call_id") ? { text: `${name} is made.` } : bash(`echo made >> ${name}.txt`);
    });
    await worker();
    const waitedMs: number[] = [];
    for (const name of ["one", "two", "three", "four", "five"]) {
      const id = await started(`Make ${name}.`);
      await until(async () => (await job(id)).status === "waiting", 60_000);
      const { stdout } = await toolgate("approvals", "list", "--json");
      const [approval] = JSON.parse(stdout).approvals;
      expect((await toolgate("approvals", "approve", approval.id)).code).toBe(0);
      const answeredAt = performance.now();
      await until(async () => existsSync(join(play.project, `${name}.txt`)), 60_000);
      waitedMs.push(performance.now() - answeredAt);
      await until(async () => (await job(id)).status === "completed", 60_000);
      expect(text(`${name}.txt`)).toBe("made\n");
    }
    const mean = waitedMs.reduce((sum, ms) => sum + ms, 0) / waitedMs.length;
    // A job that isn't told looks every three seconds.
    expect(mean, waitedMs.map(Math.round).join(" ")).toBeLessThan(1000);
  });

  it("stop a job, resume it, and say what there is", async () => {
    model.add({ text: "I think", hang: true }, { text: "Done now." });
    await worker("--concurrency", "2");
    const id = await started("Think.", "--label", "Thinking", "--id", "thinking");
    await until(() => model.requests.length === 1, 60_000);
    expect((await toolgate("jobs", "stop", "think", "--reason", "Too slow.")).stderr).toContain(
      "Stopped: thinking",
    );
    expect((await toolgate("jobs", "show", id)).stdout).toMatch(
      /– cancelled {2}Thinking[\s\S]*toolgate jobs resume/,
    );
    expect((await toolgate("jobs", "resume", id)).code).toBe(0);
    await until(async () => (await job(id)).status === "completed", 60_000);
    expect(await job(id)).toMatchObject({ result: { text: "Done now." } });
    expect((await toolgate("jobs", "show", "nobody")).code).toBe(1);
  });

  it("remove jobs that ended long ago, and leave what goes on", async () => {
    model.add({ text: "Done." });
    const waits = await started("Wait.", "--queue", "nobody");
    await worker();
    const id = await started("Be quick.");
    await until(async () => (await job(id)).status === "completed", 60_000);
    expect((await toolgate("jobs", "prune")).stderr).toBe("0 jobs removed.\n");
    const dry = JSON.parse((await toolgate("jobs", "prune", "--older", "0s", "--dry-run", "--json")).stdout);
    expect(dry.jobs).toBeGreaterThan(0);
    expect((await job(id)).status).toBe("completed");
    const pruned = await toolgate("jobs", "prune", "--older", "0s", "--json");
    expect(JSON.parse(pruned.stdout)).toEqual({ jobs: dry.jobs, dryRun: false });
    expect((await toolgate("jobs", "show", id)).stderr).toContain(`There is no job ${id}.`);
    expect((await job(waits)).status).toBe("queued");
    expect((await toolgate("jobs", "prune", "--older", "soon")).code).toBe(2);
  });

  it("run the sub-agents that an agent starts", async () => {
    await model[Symbol.asyncDispose]();
    model = await ModelServer.answering(({ messages }) => {
      const said = JSON.stringify(messages.slice(1));
      if (said.includes("Say what you see.") && !said.includes("Send somebody.")) return { text: "Nothing." };
      if (said.includes("Nothing.")) return { text: "They saw nothing." };
      return {
        calls: [{ name: "spawn", arguments: { task: "Say what you see.", label: "eyes", wait: true } }],
      };
    });
    await worker();
    const id = await started("Send somebody.");
    await until(async () => (await job(id)).status === "completed", 60_000);
    expect(await job(id)).toMatchObject({ result: { text: "They saw nothing." } });
    const { stdout } = await toolgate("jobs", "list", "--json");
    expect(JSON.parse(stdout).jobs).toContainEqual(
      expect.objectContaining({ label: "eyes", kind: "subagent", status: "completed" }),
    );
  });

  it("keep schedules, which workers start in a mode that asks nobody", async () => {
    model.add(bash("echo made > ../made.txt"), { text: "It was refused." });
    const at = new Date(Date.now() + 500).toISOString();
    const added = await toolgate(
      "jobs",
      "schedule",
      "add",
      "once",
      "Make it.",
      "--at",
      at,
      "--missed",
      "once",
    );
    expect(added.code).toBe(0);
    expect((await toolgate("jobs", "schedule", "list")).stdout).toContain(`once: once, at ${at}`);
    await worker();
    await until(async () => (await job(`once@${at}`).catch(() => undefined))?.status === "completed", 60_000);
    expect(() => text("../made.txt")).toThrow();
    expect((await toolgate("jobs", "schedule", "remove", "once")).code).toBe(0);
  });
});
