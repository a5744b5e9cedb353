import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerTo, type Script } from "../job-world.ts";
import { ModelServer } from "../model-server.ts";
import { call, ERAS, type Question, stdioClient } from "./mcp-client.ts";
import { Playground, until } from "./toolgate.ts";

let play: Playground;
let model: ModelServer;
let script: Script;
const clients: Client[] = [];

beforeEach(async () => {
  play = await new Playground().make();
  model = await ModelServer.answering((seen) => answerTo(script, seen));
  mkdirSync(join(play.home, ".toolgate"));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await model[Symbol.asyncDispose]();
  play[Symbol.dispose]();
});

function configure(): void {
  const settings = { model: "ollama/scripted", modelBaseUrl: model.url };
  writeFileSync(join(play.home, ".toolgate", "settings.json"), JSON.stringify(settings));
}

async function connect(options: Parameters<typeof stdioClient>[2] = {}, preset = "all"): Promise<Client> {
  const { client } = await stdioClient(play, ["--preset", preset], options);
  clients.push(client);
  return client;
}

const WRITE = "echo made >> ../made.txt";
const MAKE: Script = {
  "Make a file.": [{ calls: [{ name: "Bash", arguments: { command: WRITE } }] }, { text: "It is made." }],
};
const LOOK: Script = {
  "Look around.": [{ calls: [{ name: "Glob", arguments: { pattern: "*" } }] }, { text: "I saw three cats." }],
};
const JOB_TOOLS = [
  "schedule_create",
  "schedule_delete",
  "schedule_list",
  "spawn",
  "spawn_output",
  "spawn_status",
  "spawn_stop",
  "workflow_run",
];

describe.each(ERAS)("sub-agents of toolgate mcp, %s protocol", { timeout: 60_000 }, (era) => {
  it("answer the call that waits for them, and say how they get on", async () => {
    script = LOOK;
    configure();
    const client = await connect({ era });
    const told: string[] = [];
    const { text, state } = await call(
      client,
      "spawn",
      { task: "Look around.", label: "eyes", wait: true },
      { onprogress: ({ message = "" }) => told.push(message) },
    );
    expect(state).toBe("success");
    expect(text).toMatch(/\(eyes\) completed after .*I saw three cats\./s);
    expect(told.join("\n")).toContain("agent_");
  });

  it("ask over the call that waits for them", async () => {
    script = MAKE;
    configure();
    const asked: Question[] = [];
    const client = await connect({
      era,
      answer: (question) => {
        asked.push(question);
        return { content: { answer: question.choices[0] } };
      },
    });
    const { text } = await call(client, "spawn", { task: "Make a file.", label: "maker", wait: true });
    expect(text).toContain("It is made.");
    expect(asked.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The sub-agent "maker": Bash wants to run:\s+echo made/),
    ]);
    expect(readFileSync(join(play.root, "made.txt"), "utf8")).toBe("made\n");
  });
});

describe("sub-agents of toolgate mcp", { timeout: 60_000 }, () => {
  it("whose questions can't be asked here wait in the store, and are answered at a shell", async () => {
    script = MAKE;
    configure();
    const client = await connect();
    const { text, result } = await call(client, "spawn", { task: "Make a file.", wait: true });
    expect(text).toMatch(
      /is still waiting: Bash needs a person's answer.*toolgate approvals approve \S+ --cwd/s,
    );
    const [, id = ""] = /approvals approve (\S+)/.exec(text) ?? [];
    expect((await play.run(["approvals", "approve", id])).code).toBe(0);
    const [, job = ""] = /(agent_\w+)/.exec(text) ?? [];
    await until(async () => (await call(client, "spawn_status", { id: job })).text.includes("completed"));
    expect(readFileSync(join(play.root, "made.txt"), "utf8")).toBe("made\n");
    expect(result.isError ?? false).toBe(false);
  });

  it("are told of with the next answer when they have ended, once", async () => {
    script = LOOK;
    configure();
    const client = await connect();
    const started = await call(client, "spawn", { task: "Look around.", label: "eyes" });
    expect(started.text).toContain("You will be told when it has ended");
    let heard = 0;
    await until(async () => {
      const { text } = await call(client, "Glob", { pattern: "nothing-*" });
      if (text.includes("I saw three cats.")) heard += 1;
      return heard > 0;
    });
    await call(client, "Glob", { pattern: "nothing-*" });
    expect(heard).toBe(1);
  });

  it("end with their client, and so do their questions", async () => {
    script = MAKE;
    configure();
    const client = await connect();
    await call(client, "spawn", { task: "Make a file.", wait: true });
    await client.close();
    const list = async () => JSON.parse((await play.run(["approvals", "list", "--json"])).stdout).approvals;
    await until(async () => (await list()).length === 0);
  });

  it.each([
    ["all", true, JOB_TOOLS],
    ["assistant", true, JOB_TOOLS],
    ["coding", true, []],
    ["all", false, []],
  ] as const)("preset %s, model configured: %s", async (preset, isConfigured, expected) => {
    if (isConfigured) configure();
    const client = await connect({}, preset);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => /^(?:spawn|workflow|schedule)/.test(name)).toSorted()).toEqual(expected);
    const { stdout } = await play.run(["tools", "--preset", preset]);
    const why = /^ *(?:spawn|schedule_create) .*needs a model, and none is configured/m.test(stdout);
    expect([stdout.includes("spawn_status {"), why]).toEqual([
      expected.length > 0,
      preset === "all" && !isConfigured,
    ]);
  });
});
