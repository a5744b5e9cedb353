import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelServer, type Scripted } from "../model-server.ts";
import { has } from "../require.ts";
import { atTerminal, type Step } from "./at-terminal.ts";
import { exitOf, Playground, until } from "./toolgate.ts";

let play: Playground;
let server: ModelServer;
beforeEach(async () => {
  play = await new Playground().make();
  server = await ModelServer.start();
  writeFileSync(join(play.project, "notes.txt"), "one\ntwo\n");
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  play[Symbol.dispose]();
});

const model = () => ["chat", "--model", "openai/scripted", "--base-url", server.url];
const bash = (command: string): Scripted => ({ calls: [{ name: "Bash", arguments: { command } }] });
const text = (name: string) => readFileSync(join(play.project, name), "utf8");
const read: Scripted = { calls: [{ name: "Read", arguments: { file_path: "notes.txt" } }] };
const edit: Scripted = {
  calls: [{ name: "Edit", arguments: { file_path: "notes.txt", old_string: "two\n", new_string: "zwei\n" } }],
};

/** What the model was told in its last request. */
const lastHeard = () => JSON.stringify(server.requests.at(-1)?.messages.at(-1));

describe("toolgate chat in a pipe", () => {
  it("writes the model's words to standard output and all else to standard error, without colour", async () => {
    server.add({ text: "I look.", ...read }, edit, { text: "Done." });
    const { code, stdout, stderr } = await play.run(model(), "change it\ny\n", { NO_COLOR: "" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "I look.\nDone.\n" });
    for (const part of [
      "● Read notes.txt",
      "● Edit notes.txt",
      "? Edit needs your answer",
      "    -two",
      "    +zwei",
    ])
      expect(stderr).toContain(part);
    expect(stdout + stderr).not.toContain("\u001b");
    expect(text("notes.txt")).toBe("one\nzwei\n");
  });

  it.each<[string, string, (heard: string) => void]>([
    ["a no with words", "n take another name", (heard) => expect(heard).toContain("take another name")],
    ["an edit", "e touch other.txt", () => expect(existsSync(join(play.project, "other.txt"))).toBe(true)],
    ["words that are no answer, then a no", "what?\nn", (heard) => expect(heard).toContain("said no")],
  ])("takes %s", async (_name, answer, check) => {
    server.add(bash("touch made.txt"), { text: "Well." });
    expect((await play.run(model(), `go\n${answer}\n`)).code).toBe(0);
    check(lastHeard());
    expect(existsSync(join(play.project, "made.txt"))).toBe(false);
  });

  it("takes a rule for the rest of the session, the next run of it included", async () => {
    server.add(bash("touch a.txt"), bash("touch b.txt"), { text: "Both." }, bash("touch c.txt"), {
      text: "Three.",
    });
    const session = [...model(), "--session", "s"];
    expect((await play.run(session, "go\n2\n")).code).toBe(0);
    expect((await play.run(session, "and again\n")).code).toBe(0);
    expect(["a.txt", "b.txt", "c.txt"].map((name) => existsSync(join(play.project, name)))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("parks what the pipe has no answer to, and goes on once it is answered elsewhere", async () => {
    server.add(bash("touch made.txt"), { text: "It is there." });
    const session = [...model(), "--session", "s"];
    const parked = await play.run(session, "go\n");
    expect(parked.code).toBe(4);
    const [, id = ""] = /toolgate approvals approve (\S+)/.exec(parked.stderr) ?? [];
    expect((await play.run(["approvals", "approve", id])).code).toBe(0);
    expect(await play.run(session, "")).toMatchObject({ code: 0, stdout: "It is there.\n" });
    expect(existsSync(join(play.project, "made.txt"))).toBe(true);
  });

  it("talks with Anthropic's messages API", async () => {
    const usage = { input_tokens: 3, output_tokens: 0 };
    const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], usage };
    const events = [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
      { type: "message_stop" },
    ];
    const seen: unknown[] = [];
    const anthropic = createServer((request, response) => {
      seen.push(request.url, request.headers["x-api-key"]);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
    await new Promise<void>((listening) => anthropic.listen(0, "127.0.0.1", listening));
    const address = anthropic.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
    const ended = await play.run(["chat", "--model", "anthropic/m"], "hi\n", env);
    anthropic.close();
    expect(ended).toMatchObject({ code: 0, stdout: "Hello.\n" });
    expect(seen).toEqual(["/v1/messages", "k"]);
  });

  it("doesn't overwrite what another process kept of its session", async () => {
    server.add({ text: "First." }, { text: "Other." }, { text: "Again." }, { text: "Last." });
    const session = [...model(), "--session", "s"];
    const child = play.start(session);
    let shown = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => {
        shown += piece;
      });
    child.stdin.write("one\n");
    await until(() => shown.includes("First."));
    expect((await play.run(session, "two\n")).code).toBe(0);
    child.stdin.write("three\n");
    await until(() => shown.includes("/resume s goes on from there."));
    child.stdin.end("/resume s\nfour\n");
    expect(await exitOf(child)).toBe(0);
    const heard = JSON.stringify(server.requests.at(-1)?.messages.filter(({ role }) => role === "user"));
    expect(heard).toMatch(/one.*two.*four/);
  });

  it("shows nothing that would steer a terminal", async () => {
    server.add({ text: "a\u001b]0;title\u0007b" });
    expect((await play.run(model(), "go\n")).stdout).toBe("a␛]0;title␇b\n");
  });

  it("ends with 1 and says why when the model fails", async () => {
    server.add({ status: 400 });
    expect(await play.run(model(), "go\n")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("scripted 400"),
    });
  });

  it.each<[string, string[], string]>([
    ["no model", [], "No model is configured"],
    ["a model without its provider", ["--model", "m"], "PROVIDER/MODEL"],
    ["a model without a key", ["--model", "openai/m"], "OPENAI_API_KEY"],
    ["a bad session name", ["--model", "ollama/m", "--session", "../x"], "no session name"],
  ])("%s ends with 2", async (_name, args, message) => {
    const { code, stderr } = await play.run(["chat", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("%s stops what runs, and the session can go on", async (signal) => {
    server.add(bash("sleep 300"), { text: "Back." });
    const session = [...model(), "--session", "s", "--mode", "bypass"];
    const child = play.start(session);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      stderr += piece;
    });
    child.stdin.write("go\n");
    await until(() => stderr.includes("● Bash sleep 300"));
    child.kill(signal);
    await until(() => stderr.includes("Interrupted."));
    child.stdin.end();
    expect(await exitOf(child)).toBe(130);
    expect((await play.run(session, "go on\n")).stdout).toBe("Back.\n");
  });

  it("survives kill -9 while it asks, and runs what it asked about once", async () => {
    server.add(bash("echo x >> count.txt"), { text: "Done." });
    const session = [...model(), "--session", "s"];
    const child = play.start(session);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      stderr += piece;
    });
    child.stdin.write("go\n");
    await until(() => stderr.includes("needs your answer"));
    child.kill("SIGKILL");
    await exitOf(child);
    const { approvals } = JSON.parse((await play.run(["approvals", "list", "--json"])).stdout);
    expect(approvals).toMatchObject([{ toolName: "Bash", status: "pending" }]);
    expect(await play.run(session, "y\n")).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(text("count.txt")).toBe("x\n");
  });
});

describe.skipIf(!has("python3"))("toolgate chat at a terminal", { timeout: 60_000 }, () => {
  const at = (steps: readonly Step[], args: readonly string[] = [], env: Record<string, string> = {}) =>
    atTerminal(play, [...model(), "--session", "t", ...args], steps, env);

  it("asks in place, shows the diff, and follows its commands", async () => {
    server.add(read, edit, { text: "Done." });
    const { code, shown } = await at([
      { expect: "› " },
      { send: "change it\r" },
      { expect: "answer> " },
      { send: "2\r" },
      { expect: "Done." },
      { expect: "› " },
      { send: "/mode acceptEdits\r" },
      { expect: "The mode is acceptEdits." },
      { send: "/rules\r" },
      { expect: "session allow  Edit(./**)" },
      { send: "/tasks\r" },
      { expect: "There is no plan." },
      { send: "/resume\r" },
      { expect: "(this one)" },
      { send: "/nonsense\r" },
      { expect: "There is no command /nonsense." },
      { send: "/quit\r" },
      { expect: "toolgate chat --session t goes on with it." },
    ]);
    expect(code).toBe(0);
    expect(shown).toContain("+zwei");
    expect(text("notes.txt")).toBe("one\nzwei\n");
  });

  it("colours nothing with NO_COLOR, and a diff without it", async () => {
    const steps: Step[] = [
      { expect: "› " },
      { send: "go\r" },
      { expect: "answer> " },
      { send: "y\r" },
      { expect: "Done." },
      { expect: "› " },
      { send: "/quit\r" },
    ];
    server.add(edit, { text: "Done." }, read, edit, { text: "Done." });
    const green = "\u001b[32m";
    expect((await at(steps)).shown).not.toContain(green);
    expect((await at(steps, [], { NO_COLOR: "", COLORTERM: "truecolor" })).shown).toContain(green);
  });

  it("lets a person change a command before it runs", async () => {
    server.add(bash("touch made.txt"), { text: "Done." });
    await at([
      { expect: "› " },
      { send: "go\r" },
      { expect: "answer> " },
      { send: "e\r" },
      { expect: "change>" },
      { expect: "touch made.txt" },
      { send: "2\r" },
      { expect: "Done." },
      { expect: "› " },
      { send: "\u0004" },
    ]);
    expect(existsSync(join(play.project, "made.txt2"))).toBe(true);
    expect(existsSync(join(play.project, "made.txt"))).toBe(false);
  });

  it("interrupts a turn with Ctrl-C once, and ends with it twice", async () => {
    server.add(bash("echo begun; sleep 300"), { text: "Here again." });
    const { code } = await at(
      [
        { expect: "› " },
        { send: "go\r" },
        { expect: "⎿ begun" },
        { send: "\u0003" },
        { expect: "Interrupted." },
        { expect: "› " },
        { send: "and?\r" },
        { expect: "Here again." },
        { expect: "› " },
        { send: "\u0003" },
        { expect: "Ctrl-C again" },
        { send: "\u0003" },
      ],
      ["--mode", "bypass"],
    );
    expect(code).toBe(0);
  });

  it("takes lines that were pasted at once as one message", async () => {
    server.add({ text: "Read." });
    await at([
      { expect: "› " },
      { send: "first\rsecond\rthird" },
      { expect: "Read." },
      { expect: "› " },
      { send: "/quit\r" },
    ]);
    expect(lastHeard()).toContain(JSON.stringify("first\nsecond\nthird").slice(1, -1));
  });

  it("gives up a question with Ctrl-C", async () => {
    server.add(bash("touch made.txt"));
    await at([
      { expect: "› " },
      { send: "go\r" },
      { expect: "answer> " },
      { send: "\u0003" },
      { expect: "Interrupted." },
      { expect: "› " },
      { send: "/quit\r" },
    ]);
    expect(existsSync(join(play.project, "made.txt"))).toBe(false);
    expect((await play.run(["approvals", "list"])).stdout).toBe("");
  });
});
