import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerTo, type Script } from "../job-world.ts";
import { ModelServer } from "../model-server.ts";
import { has } from "../require.ts";
import { exitOf, Playground, PROGRAM, until } from "./toolgate.ts";

let play: Playground;
let server: ModelServer;
let script: Script = {};
beforeEach(async () => {
  play = await new Playground().make();
  server = await ModelServer.answering((seen) => answerTo(script, seen));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  play[Symbol.dispose]();
});

const GRAPH = {
  goal: "Ship it",
  mode: "graph",
  agents: [
    { id: "look", task: "task of look" },
    { id: "say", task: "task of say", depends_on: ["look"] },
  ],
};

function run(file: string, ...more: readonly string[]) {
  return play.run(["workflow", "run", file, "--model", "openai/scripted", "--base-url", server.url, ...more]);
}

function write(name: string, value: unknown): string {
  const path = join(play.project, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

describe("toolgate workflow run", () => {
  it("runs a file's agents, says how they get on, and gives what they came to", async () => {
    script = {
      "Your task: task of look": [
        { calls: [{ name: "Bash", arguments: { command: "ls" } }] },
        { text: "nothing here" },
      ],
      "Your task: task of say": [{ text: "all is said" }],
    };
    const { code, stdout, stderr } = await run(write("flow.json", GRAPH));
    expect({ code, stderr: stderr.replace(/^.*trust.*\n/gm, "") }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/look done\n(?:say (?:queued|running)\n)*say done\n$/),
    });
    expect(stdout).toMatch(
      /^# Ship it\n\ngraph \w+: completed.*## look: done\n\nnothing here\n\n## say: done\n\nall is said\n$/s,
    );
    expect((await play.run(["audit", "stats"])).stdout).toContain("Bash");
  });

  it("takes YAML, and gives one JSON value", async () => {
    script = { "task of one": [{ text: "x".repeat(30_000) }] };
    const { code, stdout } = await run(
      write("flow.yaml", "goal: Ship it\nmode: pipeline\nagents:\n  - id: one\n    task: task of one\n"),
      "--json",
    );
    const value = JSON.parse(stdout);
    expect([code, value.status, value.mode, value.slots]).toEqual([
      0,
      "completed",
      "pipeline",
      [{ id: "one", label: "one", status: "done", jobId: expect.any(String), text: "x".repeat(30_000) }],
    ]);
  });

  it.each<[string, unknown, string]>([
    ["no file", undefined, "can't be read"],
    ["no YAML", "a: [", "neither JSON nor YAML"],
    ["no object", "[]", "no workflow"],
    ["a circle", { ...GRAPH, agents: [{ id: "a", task: "t", depends_on: ["a"] }] }, "circle: a → a"],
    ["an unknown key", { ...GRAPH, colour: "red" }, "colour"],
    ["an unknown tool", { ...GRAPH, agents: [{ id: "a", task: "t", tools: ["Fly"] }] }, "Fly"],
    ["a resume", { resume: "x" }, "none to resume"],
  ])("is told by code 2 and in words: %s", async (_title, value, said) => {
    const path = value === undefined ? "missing.json" : write("flow.json", value);
    const { code, stderr } = await run(path);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
    expect(server.requests).toEqual([]);
  });

  it("fails with what was done, and by 4 when a person would have been needed", async () => {
    script = {
      "Your task: task of look": [{ text: "looked" }],
      "Your task: task of say": [{ status: 400 }],
    };
    const failed = await run(write("flow.json", GRAPH));
    expect([failed.code, failed.stdout.includes("looked")]).toEqual([1, true]);
    expect(failed.stdout).toContain("## say: failed");
    script = {
      "Your task: task of look": [
        { calls: [{ name: "Bash", arguments: { command: "touch made" } }] },
        { status: 400 },
      ],
    };
    const asked = await run(write("flow.json", GRAPH));
    expect([asked.code, existsSync(join(play.project, "made"))]).toEqual([4, false]);
    expect(asked.stderr).toContain("look: ");
  });

  it("takes the project's teams only when the project is trusted", async () => {
    script = { "task of one": [{ text: "one done" }] };
    write(".toolgate/teams/mine.yaml", "mode: pipeline\nagents:\n  - id: one\n    task: task of one\n");
    const path = write("flow.json", { goal: "Ship it", team_name: "mine" });
    expect(await run(path)).toMatchObject({ code: 1, stderr: expect.stringContaining("There are none.") });
    mkdirSync(join(play.home, ".toolgate"), { recursive: true });
    writeFileSync(
      join(play.home, ".toolgate", "settings.json"),
      JSON.stringify({ trustedProjects: [play.project] }),
    );
    expect(await run(path)).toMatchObject({ code: 0, stdout: expect.stringContaining("one done") });
  });

  it("is stopped with Ctrl-C, and shows what there is", async () => {
    script = {
      "Your task: task of look": [{ text: "looked" }],
      "Your task: task of say": [{ text: "I think", hang: true }],
    };
    const child = play.start([
      "workflow",
      "run",
      write("flow.json", GRAPH),
      "--model",
      "openai/scripted",
      "--base-url",
      server.url,
    ]);
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    await until(() =>
      server.requests.some(({ messages }) => JSON.stringify(messages).includes("task of say")),
    );
    child.kill("SIGINT");
    expect(await exitOf(child)).toBe(130);
    expect(stdout).toMatch(/cancelled.*looked.*## say: cancelled/s);
  });

  it.skipIf(!has("python3"))(
    "draws a tree at a terminal, and asks there, with the agent's name",
    async () => {
      script = {
        "Your task: task of look": [
          { calls: [{ name: "Bash", arguments: { command: "touch made" } }] },
          { text: "looked" },
        ],
        "Your task: task of say": [{ text: "said" }],
      };
      const steps = [
        { expect: "look: " },
        { expect: "Bash" },
        { expect: "answer> " },
        { send: "y\r" },
        { expect: "✓   say done" },
      ];
      const { stdout } = await promisify(execFile)(
        "python3",
        [
          join(import.meta.dirname, "terminal.py"),
          JSON.stringify(steps),
          process.execPath,
          PROGRAM,
          "workflow",
          "run",
          write("flow.json", GRAPH),
          "--model",
          "openai/scripted",
          "--base-url",
          server.url,
        ],
        { cwd: play.project, env: { ...play.env, TERM: "xterm-256color" }, maxBuffer: 1e7, timeout: 60_000 },
      );
      expect(stdout).toContain("✓ look done");
      expect(stdout).toContain("## say: done");
      expect(stdout.trimEnd().split("\n").at(-1)).toBe("0");
      expect(existsSync(join(play.project, "made"))).toBe(true);
    },
  );
});
