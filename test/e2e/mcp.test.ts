import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, ERAS, stdioClient } from "./mcp-client.ts";
import { exitOf, isRunning, Playground, until } from "./toolgate.ts";

let play: Playground;
beforeEach(async () => {
  play = await new Playground().make();
});
afterEach(() => play[Symbol.dispose]());

const made = () => existsSync(join(play.project, "made.txt"));

describe("toolgate mcp", () => {
  it.each([
    [["--backend", "dokcer:x"], '"dokcer:x" is no backend. It is one of'],
    [["--preset", "nope"], 'There is no preset "nope". Use one of'],
    [["--mode", "wild"], 'Unknown permission mode "wild". Use one of'],
  ])("tells %j before there is a client", async (args, message) => {
    const ended = await play.run(["mcp", ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
  });

  it("tells a client with what to do about it that its place can't be used", async () => {
    const { client } = await stdioClient(play, ["--backend", "ssh:nobody@127.0.0.1:1"]);
    await expect(client.listTools()).rejects.toThrow(/nobody listens there\. Check that the server runs/);
    await client.close();
  });
});

describe.each(ERAS)("toolgate mcp, %s protocol", (era) => {
  it("lists the tools with their schemas and hints", async () => {
    const { client } = await stdioClient(play, [], { era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "Bash",
      "BashOutput",
      "BashStop",
      "Edit",
      "Glob",
      "Grep",
      "Read",
      "Write",
    ]);
    const read = tools.find(({ name }) => name === "Read");
    expect(read).toMatchObject({
      inputSchema: { type: "object", required: ["file_path"] },
      annotations: { readOnlyHint: true },
    });
    await client.close();
  });

  it("runs, refuses, and says what would settle an ask to a client that can't ask", async () => {
    const { client } = await stdioClient(play, [], { era });
    writeFileSync(join(play.project, "a.txt"), "needle\n");
    expect(await call(client, "Bash", { command: "cat a.txt" })).toMatchObject({
      text: expect.stringContaining("needle"),
      state: "success",
      result: { isError: false },
    });
    const asked = await call(client, "Bash", { command: "touch made.txt" });
    expect(asked).toMatchObject({ state: "denied", result: { isError: true } });
    expect(asked.text).toContain("toolgate rules add 'allow:Bash(touch");
    const immune = await call(client, "Bash", { command: "echo x > .git/config" });
    expect(immune.text).toContain("no rule may allow");
    expect(await call(client, "Nothing", {})).toMatchObject({ state: "error" });
    expect(await call(client, "Bash", {})).toMatchObject({
      state: "error",
      text: expect.stringContaining("command"),
    });
    expect(made()).toBe(false);
    await client.close();
  });

  it("puts an ask to the person: approve once", async () => {
    const asked: string[] = [];
    const { client } = await stdioClient(play, [], {
      era,
      answer: ({ message, choices }) => {
        asked.push(message);
        return { content: { answer: choices[0] } };
      },
    });
    expect(await call(client, "Bash", { command: "touch made.txt" })).toMatchObject({ state: "success" });
    expect(made()).toBe(true);
    await call(client, "Bash", { command: "touch made.txt" });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("touch made.txt");
    await client.close();
  });

  it("puts an ask to the person: approve and remember", async () => {
    let questions = 0;
    const { client } = await stdioClient(play, [], {
      era,
      answer: ({ choices }) => {
        questions += 1;
        return { content: { answer: choices.find((choice) => choice.includes("Bash(touch")) } };
      },
    });
    for (const _time of [1, 2, 3]) {
      expect(await call(client, "Bash", { command: "touch made.txt" })).toMatchObject({ state: "success" });
    }
    expect(questions).toBe(1);
    await client.close();
  });

  it.each([
    [
      "reject with a word for the model",
      { content: { answer: "Reject", feedback: "use the build folder" } },
      "use the build folder",
    ],
    ["decline", { action: "decline" }, ""],
    ["close the form", { action: "cancel" }, ""],
    ["an answer that wasn't offered", { content: { answer: "Approve everything" } }, ""],
  ])("puts an ask to the person: %s", async (_name, answer, word) => {
    const { client } = await stdioClient(play, [], { era, answer: () => answer });
    const refused = await call(client, "Bash", { command: "touch made.txt" });
    expect(refused).toMatchObject({ state: "denied", result: { isError: true } });
    expect(refused.text).toContain(word);
    expect(made()).toBe(false);
    await client.close();
  });

  it("offers nothing to remember for what no rule may allow", async () => {
    let choices: readonly string[] = [];
    const { client } = await stdioClient(play, [], {
      era,
      answer: (question) => {
        choices = question.choices;
        return { content: { answer: "Reject" } };
      },
    });
    await call(client, "Bash", { command: "echo x > .git/config" });
    expect(choices).toEqual(["Approve once", "Reject"]);
    await client.close();
  });

  it("passes on progress, and a cancelled call stops its whole tree", async () => {
    const { client } = await stdioClient(play, ["--mode", "bypass"], { era });
    const pidFile = join(play.project, "pid");
    const controller = new AbortController();
    const seen: number[] = [];
    const running = call(
      client,
      "Bash",
      {
        command: `sleep 300 & echo $! > ${pidFile}; for i in 1 2 3 4 5; do echo step $i; sleep 0.3; done; wait`,
      },
      { signal: controller.signal, onprogress: ({ progress }) => seen.push(progress) },
    );
    const ended = running.then(
      () => "answered",
      () => "cancelled",
    );
    await until(() => seen.length >= 3);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(isRunning(pid)).toBe(true);
    controller.abort("enough");
    expect(await ended).toBe("cancelled");
    await until(() => !isRunning(pid));
    expect(await call(client, "Bash", { command: "echo still here" })).toMatchObject({ state: "success" });
    await client.close();
  });

  it("stops what runs when the client leaves", async () => {
    const { client, pid } = await stdioClient(play, ["--mode", "bypass"], { era });
    const pidFile = join(play.project, "pid");
    call(client, "Bash", { command: `echo $$ > ${pidFile}; sleep 300` }).catch(() => undefined);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    await client.close();
    await until(() => !isRunning(Number(readFileSync(pidFile, "utf8"))));
    await until(() => !isRunning(pid));
  });

  it("edits what it has read, and shows an image as one", async () => {
    const { client } = await stdioClient(play, ["--mode", "acceptEdits"], { era });
    const file = join(play.project, "a.txt");
    writeFileSync(file, "one\n");
    const edit = { file_path: file, old_string: "one", new_string: "two" };
    expect(await call(client, "Edit", edit)).toMatchObject({ state: "error" });
    expect(await call(client, "Read", { file_path: file })).toMatchObject({ state: "success" });
    expect(await call(client, "Edit", edit)).toMatchObject({ state: "success" });
    expect(readFileSync(file, "utf8")).toBe("two\n");
    const picture = join(play.project, "dot.png");
    writeFileSync(picture, Buffer.from(DOT, "base64"));
    const { result } = await call(client, "Read", { file_path: picture });
    expect(result.content).toContainEqual({ type: "image", data: DOT, mimeType: "image/png" });
    await client.close();
  });
});

describe("an answer in the newer protocol", () => {
  const approve = { action: "accept", content: { answer: "Approve once" } };

  async function foul(): Promise<{ client: Client; ask(what: object): Promise<Record<string, unknown>> }> {
    const { client } = await stdioClient(play, [], { era: "auto", manual: true, answer: () => ({}) });
    const ask = async (what: object) => {
      const params = { name: "Bash", arguments: { command: "touch made.txt" }, ...what };
      const result: unknown = await client.callTool(params, { allowInputRequired: true });
      return JSON.parse(JSON.stringify(result));
    };
    return { client, ask };
  }

  it("counts only for the call that was shown", async () => {
    const { client, ask } = await foul();
    const { requestState } = await ask({});
    expect(requestState).toEqual(expect.any(String));
    const other = { arguments: { command: "touch made.txt other.txt" } };
    const refused = await ask({ ...other, requestState, inputResponses: { approval: approve } });
    expect(refused).toMatchObject({ isError: true });
    expect(made()).toBe(false);
    await client.close();
  });

  it("counts once, and only for a question that was put", async () => {
    const { client, ask } = await foul();
    const { requestState } = await ask({});
    const answered = { requestState, inputResponses: { approval: approve } };
    expect(await ask(answered)).toMatchObject({ isError: false });
    expect(made()).toBe(true);
    expect(await ask(answered)).toMatchObject({ isError: true });
    expect(await ask({ ...answered, requestState: "made-up" })).toMatchObject({ isError: true });
    expect(await ask({ inputResponses: { approval: approve } })).toMatchObject({
      requestState: expect.any(String),
    });
    await client.close();
  });
});

/** A picture of one point. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("toolgate mcp on the wire", () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  };
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

  it("survives lines that are no messages, and writes nothing but the protocol", async () => {
    const child = play.start(["mcp"]);
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    await until(() => stdout.includes('"id":1'));
    child.stdin.write('{"jsonrpc": nonsense\n[]\n42\n\n{"jsonrpc":"2.0","id":9,"method":"no/such"}\n');
    child.stdin.write(
      `{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"x":"${"y".repeat(40_000_000)}"}}\n`,
    );
    child.stdin.write(`${JSON.stringify(list)}\n`);
    await until(() => stdout.includes('"id":2'));
    const messages = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const byId = new Map(messages.map((message) => [message.id, message]));
    expect(byId.get(2).result.tools).toHaveLength(8);
    expect(byId.get(9)).toMatchObject({ error: { code: -32601 } });
    const codes = messages.filter(({ id }) => id === null).map(({ error }) => error.code);
    expect(codes).toEqual([-32700, -32600]);
    child.stdin.end();
    expect(await exitOf(child)).toBe(0);
  });

  it("leaves a record that verifies after it was killed in the middle of a call", async () => {
    const { client, pid } = await stdioClient(play, ["--mode", "bypass"]);
    const pidFile = join(play.project, "pid");
    await call(client, "Bash", { command: "echo one" });
    call(client, "Bash", { command: `echo $$ > ${pidFile}; sleep 60` }).catch(() => undefined);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    process.kill(pid, "SIGKILL");
    await until(() => !isRunning(pid));
    const verified = JSON.parse((await play.run(["audit", "verify", "--json"])).stdout);
    expect(verified).toMatchObject({ ok: true, findings: [] });
    const stats = JSON.parse((await play.run(["audit", "stats", "--json"])).stdout);
    expect(stats.states).toEqual({ success: 1, unfinished: 1 });
    const left = Number(readFileSync(pidFile, "utf8"));
    if (isRunning(left)) process.kill(left, "SIGKILL");
    await client.close();
  });
});
