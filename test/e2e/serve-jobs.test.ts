import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerTo, type Script } from "../job-world.ts";
import { ModelServer, type Scripted, type SeenRequest } from "../model-server.ts";
import { startPostgres } from "../postgres.ts";
import { has } from "../require.ts";
import { call, httpClient } from "./mcp-client.ts";
import { exitOf, Playground, until } from "./toolgate.ts";

let play: Playground;
let model: ModelServer;
let script: Script;
let server: ChildProcessWithoutNullStreams | undefined;
let place: { readonly url: string; readonly token: string };
let stderr = "";

beforeEach(async () => {
  play = await new Playground().make();
  model = await ModelServer.answering((seen) => answerTo(script, seen));
});
afterEach(async () => {
  await stop("SIGTERM");
  await model[Symbol.asyncDispose]();
  play[Symbol.dispose]();
});

async function serve(
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { TOOLGATE_MODEL: "openai/scripted", OPENAI_BASE_URL: model.url, ...more };
  const child = play.start(["serve", "--port", "0", "--json", ...args], env);
  server = child;
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await until(() => stdout.includes("\n"), 40_000);
  place = JSON.parse(stdout.split("\n")[0] ?? "");
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  const child = server;
  server = undefined;
  if (child === undefined || child.exitCode !== null) return;
  child.kill(signal);
  await exitOf(child);
}

async function api(path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${place.token}`, ...init.headers };
  const response = await fetch(`${place.url}/api${path}`, { ...init, headers });
  return JSON.parse(await response.text());
}

async function write(text: string): Promise<void> {
  const body = new FormData();
  body.set("text", text);
  await api("/console/messages", { method: "POST", body });
}

/** What the agent has said in the console's chat, oldest first. */
function said(): readonly string[] {
  const history = join(play.project, ".toolgate", "console", "history.jsonl");
  if (!existsSync(history)) return [];
  const entries = readFileSync(history, "utf8").trim().split("\n");
  return entries.map((line) => JSON.parse(line)).flatMap(({ from, text }) => (from === "agent" ? text : []));
}

async function hears(text: string, timeoutMs = 30_000): Promise<void> {
  try {
    await until(() => said().some((one) => one.includes(text)), timeoutMs);
  } catch {
    throw new Error(`${JSON.stringify(text)} wasn't said. There is:\n${said().join("\n---\n")}\n${stderr}`);
  }
}

async function questions(): Promise<readonly Record<string, string>[]> {
  const { approvals } = await api("/approvals");
  return Array.isArray(approvals) ? approvals : [];
}

const spawn = (task: string, label: string): Scripted => ({
  calls: [{ name: "spawn", arguments: { task, label } }],
});
/** What it says depends on whether it was told of an end. */
const once =
  (told: string, text: string) =>
  (seen: SeenRequest): Scripted => ({
    text: JSON.stringify(seen.messages).includes(told) ? text : "Nothing new.",
  });

describe.each(["coding", "assistant"])("a chat of toolgate serve --preset %s", (preset) => {
  it("is told when a sub-agent has ended, once", { timeout: 60_000 }, async () => {
    script = {
      "Look around.": [{ text: "I saw three cats." }],
      "Send somebody.": [
        spawn("Look around.", "eyes"),
        { text: "They are on their way." },
        once("three cats", "There are three cats."),
      ],
    };
    await serve(["--preset", preset]);
    await write("Send somebody.");
    await hears("They are on their way.");
    await hears("There are three cats.");
    // The first job of a project makes its Postgres where that can be; where it can't, that is said.
    await sleep(500);
    expect(said()).toEqual(["They are on their way.", "There are three cats."]);
    const own = model.requests.find(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("Look around."),
    );
    const names = own?.tools?.map((tool) => tool.function.name) ?? [];
    expect(names).toContain(preset === "coding" ? "Read" : "read_file");
    expect(names).not.toContain("spawn");
  });
});

/** A sub-agent that has to ask. */
const HAS_A_FILE_MADE: Script = {
  "Make a file.": [
    { calls: [{ name: "Bash", arguments: { command: "echo made >> ../made.txt" } }] },
    { text: "It is made." },
  ],
  "Have one made.": [
    spawn("Make a file.", "maker"),
    { text: "I have sent for it." },
    once("It is made", "The file is there."),
  ],
};

describe("a sub-agent's question", () => {
  it("is told in the chat, answered in the console, and goes on at once", { timeout: 60_000 }, async () => {
    script = HAS_A_FILE_MADE;
    await serve();
    await write("Have one made.");
    await hears('The sub-agent "maker" waits for an answer');
    const [question] = await questions();
    expect(question).toMatchObject({ toolName: "Bash" });
    await api(`/approvals/${question?.id}`, { method: "POST", body: JSON.stringify({ approved: true }) });
    await hears("The file is there.");
    expect(readFileSync(join(play.root, "made.txt"), "utf8")).toBe("made\n");
    expect(said().filter((text) => text.includes("waits for an answer"))).toHaveLength(1);
  });
});

describe("a schedule that a chat has made", () => {
  it("starts an agent whose end is told in the chat", { timeout: 90_000 }, async () => {
    const at = new Date(Date.now() + 1000).toISOString();
    script = {
      "Look at the clock.": [{ text: "It is late." }],
      "Look later.": [
        {
          calls: [{ name: "schedule_create", arguments: { name: "clock", task: "Look at the clock.", at } }],
        },
        { text: "I will." },
        once("It is late", "The agent says that it is late."),
      ],
    };
    await serve(["--mode", "bypass"]);
    await write("Look later.");
    await hears("The agent says that it is late.", 60_000);
    await sleep(4000);
    expect(said()).toEqual(["I will.", "The agent says that it is late."]);
  });
});

describe("an MCP client of toolgate serve", () => {
  it("starts sub-agents, whose questions are answered in the console", { timeout: 60_000 }, async () => {
    script = {
      "Make a file.": [
        { calls: [{ name: "Bash", arguments: { command: "echo made >> ../made.txt" } }] },
        { text: "It is made." },
      ],
    };
    await serve(["--preset", "all"]);
    const client = await httpClient(`${place.url}/mcp`, place.token);
    const started = await call(client, "spawn", { task: "Make a file.", label: "maker", wait: true });
    expect(started.text).toContain("Bash needs a person's answer");
    const [question] = await questions();
    await api(`/approvals/${question?.id}`, { method: "POST", body: JSON.stringify({ approved: true }) });
    await until(async () => (await call(client, "spawn_status", {})).text.includes("It is made."));
    expect(readFileSync(join(play.root, "made.txt"), "utf8")).toBe("made\n");
    expect(said()).toEqual([]);
    await client.close();
  });
});

describe.skipIf(!has("postgres"))("toolgate serve on a database that was named", () => {
  it("leaves sub-agents to workers, and tells its chats what they ask and come to", {
    timeout: 120_000,
  }, async () => {
    await using database = await startPostgres();
    const env = {
      TOOLGATE_MODEL: "openai/scripted",
      OPENAI_BASE_URL: model.url,
      TOOLGATE_DATABASE_URL: database.url,
    };
    const worker = play.start(["worker", "--json"], env);
    try {
      script = {
        "Make a file.": [
          { calls: [{ name: "Bash", arguments: { command: "echo made >> ../made.txt" } }] },
          { text: "It is made." },
        ],
        "Have one made.": [
          spawn("Make a file.", "maker"),
          { text: "I have sent for it." },
          once("It is made", "The file is there."),
        ],
      };
      await serve([], { TOOLGATE_DATABASE_URL: database.url });
      await write("Have one made.");
      await hears('The sub-agent "maker" waits for an answer', 60_000);
      const [question] = await questions();
      await api(`/approvals/${question?.id}`, { method: "POST", body: JSON.stringify({ approved: true }) });
      await hears("The file is there.", 60_000);
      expect(readFileSync(join(play.root, "made.txt"), "utf8")).toBe("made\n");
      expect(said()).toHaveLength(3);
    } finally {
      await stop("SIGTERM");
      worker.kill("SIGTERM");
      await exitOf(worker);
    }
  });
});

describe("a restart of toolgate serve", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "by %s: sub-agents go on, and their end is told once",
    { timeout: 120_000 },
    async (signal) => {
      // Postgres runs as another user than root.
      chmodSync(play.root, 0o755);
      let isHanging = true;
      script = {
        "Look around.": [
          { calls: [{ name: "Bash", arguments: { command: "echo looked >> looked.txt" } }] },
          () => (isHanging ? { text: "I think", hang: true } : { text: "I saw three cats." }),
        ],
        "Send somebody.": [
          spawn("Look around.", "eyes"),
          { text: "They are on their way." },
          once("three cats", "There are three cats."),
        ],
      };
      await serve(["--mode", "bypass"]);
      await write("Send somebody.");
      await hears("They are on their way.", 60_000);
      await until(
        () =>
          model.requests.filter(({ messages }) => JSON.stringify(messages).includes("looked.txt")).length > 0,
        60_000,
      );
      await stop(signal);
      isHanging = false;
      await serve(["--mode", "bypass"]);
      await hears("There are three cats.", 90_000);
      await stop("SIGTERM");
      await serve(["--mode", "bypass"]);
      await sleep(3000);
      expect(said()).toEqual(["They are on their way.", "There are three cats."]);
      expect(readFileSync(join(play.project, "looked.txt"), "utf8")).toBe("looked\n");
    },
  );

  it("lets a question wait for its answer", { timeout: 120_000 }, async () => {
    chmodSync(play.root, 0o755);
    script = HAS_A_FILE_MADE;
    await serve();
    await write("Have one made.");
    await hears('The sub-agent "maker" waits for an answer', 60_000);
    await stop("SIGTERM");
    await serve();
    const [question] = await questions();
    await api(`/approvals/${question?.id}`, { method: "POST", body: JSON.stringify({ approved: true }) });
    await hears("The file is there.", 90_000);
    expect(readFileSync(join(play.root, "made.txt"), "utf8")).toBe("made\n");
    expect(said()).toHaveLength(3);
  });
});
