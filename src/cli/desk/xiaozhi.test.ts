import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { supervise } from "../../channels/supervise.ts";
import { SocketTransport } from "../../mcp/socket-transport.ts";
import { deviceSessions } from "./serve-xiaozhi.ts";
import { xiaozhiPeer } from "./xiaozhi-peer.ts";
import { readXiaozhi, type XiaozhiSettings } from "./xiaozhi-settings.ts";

const { HOME } = process.env;
let project: string;
/** A STAND-IN for the device's cloud: it is gone to, and then asks as a client of MCP. */
let cloud: WebSocketServer;
let url: string;
beforeEach(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-xiaozhi-")));
  mkdirSync(join(project, ".git"));
  mkdirSync(join(project, ".toolgate"));
  mkdirSync(join(project, "home", ".toolgate"), { recursive: true });
  process.env.HOME = join(project, "home");
  writeFileSync(join(project, "notes.txt"), "the notes\n");
  cloud = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(cloud, "listening");
  const address = cloud.address();
  url = `ws://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/mcp/?token=verySecret`;
});
afterEach(async () => {
  process.env.HOME = HOME;
  for (const socket of cloud.clients) socket.terminate();
  await new Promise((closed) => cloud.close(closed));
  rmSync(project, { recursive: true, force: true });
});

const converse = async (_chat: string, text: string): Promise<string> => `You said ${text}.`;
const errors: string[] = [];
/** How often a device was asked to approve something. */
let asked = 0;

/** Goes to the cloud with these settings, and gives the cloud's client. */
async function connected(
  given: Partial<XiaozhiSettings>,
  desk: { converse: typeof converse } | "nobody" = { converse },
): Promise<{ client: Client; socket: WebSocket } & AsyncDisposable> {
  const settings: XiaozhiSettings = {
    url,
    conversation: false,
    tools: [],
    rules: [],
    mode: "dontAsk",
    ...given,
  };
  const facts = { version: "0", instructions: "" };
  const answering = desk === "nobody" ? undefined : desk;
  const open = deviceSessions({ settings, desk: answering, cwd: project, backend: undefined });
  const onError = (error: Error): void => void errors.push(error.message);
  const arrived = once(cloud, "connection");
  const kept = supervise(xiaozhiPeer({ url, open, facts, onError }), {
    deliver: () => undefined,
    firstDelayMs: 10,
  });
  const [socket] = (await arrived) as [WebSocket];
  const client = new Client(
    { name: "xiaozhi", version: "1" },
    { capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler("elicitation/create", () => {
    asked += 1;
    return { action: "accept", content: { answer: "yes" } };
  });
  await client.connect(new SocketTransport(socket));
  return { client, socket, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() };
}

const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);
async function said(client: Client, name: string, input: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = content as { text: string }[];
  return `${isError === true ? "error" : "fine"}: ${first?.text.replaceAll("\n", " ")}`;
}

describe("a Xiaozhi device", () => {
  // The original offered it every tool there was, the shell among them, without names of parameters.
  it("is offered nothing but the conversation, with its parameters", async () => {
    await using peer = await connected({ conversation: true });
    const { tools } = await peer.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["send_message"]);
    expect(tools[0]).toMatchObject({
      description: expect.stringMatching(/\w/),
      inputSchema: { required: ["text"] },
    });
    expect(await said(peer.client, "send_message", { text: "hello" })).toBe("fine: You said hello.");
    expect(await said(peer.client, "send_message", { message: "hello" })).toMatch(/^error: .*text/);
    for (const name of ["exec", "read_file", "send_media"]) {
      expect(await said(peer.client, name, { command: "id", path: "notes.txt", file_paths: ["a"] })).toMatch(
        /^error: /,
      );
    }
  });

  it.each<[string, Partial<XiaozhiSettings>, typeof converse | undefined, readonly string[]]>([
    ["nothing out of the box", {}, converse, []],
    ["no conversation where nobody answers", { conversation: true }, undefined, []],
    ["no conversation by naming it", { tools: ["send_message"] }, converse, []],
    ["what is named", { tools: ["read_file", "exec", "nothing"] }, converse, ["exec", "read_file"]],
  ])("is offered %s", async (_what, settings, answering, names) => {
    await using peer = await connected(settings, answering ? { converse: answering } : "nobody");
    expect(await namesOf(peer.client)).toEqual(names);
  });

  it("may do what its own rules allow; the user's only tighten", async () => {
    const settings = { permissions: { allow: ["exec"], deny: ["Read(secret.txt)"] } };
    writeFileSync(join(project, "home", ".toolgate", "settings.json"), JSON.stringify(settings));
    writeFileSync(join(project, "secret.txt"), "secret\n");
    for (const name of ["a.sh", "b.sh"])
      writeFileSync(join(project, name), "#!/bin/sh\necho done\n", { mode: 0o755 });
    await using peer = await connected({ tools: ["exec", "read_file"], rules: ["allow:exec(./a.sh)"] });
    expect(await said(peer.client, "exec", { command: "./a.sh" })).toMatch(/^fine: /);
    expect(await said(peer.client, "exec", { command: "./b.sh" })).toMatch(/^error: /);
    expect(await said(peer.client, "read_file", { path: "notes.txt" })).toMatch(/^fine: /);
    expect(await said(peer.client, "read_file", { path: "secret.txt" })).toMatch(/^error: /);
  });

  it("is never asked to approve what it wants", async () => {
    writeFileSync(join(project, "a.sh"), "#!/bin/sh\n", { mode: 0o755 });
    await using peer = await connected({ tools: ["exec"], mode: "default" });
    expect(await said(peer.client, "exec", { command: "./a.sh" })).toMatch(/^error: /);
    expect(asked).toBe(0);
  });

  it("is gone to again when the connection is lost, in a session of its own; bad frames end nothing", async () => {
    await using peer = await connected({ conversation: true });
    peer.socket.send("no json");
    peer.socket.send(Buffer.from([1, 2]), { binary: true });
    peer.socket.send('{"jsonrpc":"2.0"}');
    expect(await namesOf(peer.client)).toEqual(["send_message"]);
    const again = once(cloud, "connection");
    peer.socket.terminate();
    const [socket] = (await again) as [WebSocket];
    const client = new Client({ name: "xiaozhi", version: "1" });
    await client.connect(new SocketTransport(socket));
    expect(await namesOf(client)).toEqual(["send_message"]);
    expect(JSON.stringify(errors)).not.toContain("verySecret");
  });

  it("that can't be reached is said without the secret", async () => {
    const facts = { version: "0", instructions: "" };
    const open = deviceSessions({
      settings: { url, conversation: false, tools: [], rules: [], mode: "dontAsk" },
      desk: undefined,
      cwd: project,
      backend: undefined,
    });
    const peer = xiaozhiPeer({
      url: "ws://127.0.0.1:9/?token=verySecret",
      open,
      facts,
      onError: () => undefined,
    });
    const inbox = { connected: () => undefined, deliver: () => undefined };
    const error: unknown = await peer
      .listen(inbox, AbortSignal.timeout(10_000))
      .catch((thrown: unknown) => thrown);
    expect(String(error)).toBe("ToolgateError: The connection to 127.0.0.1:9 was lost (ECONNREFUSED).");
    await peer.listen(inbox, AbortSignal.abort());
  });

  it("that says nothing any more is let go", async () => {
    const facts = { version: "0", instructions: "" };
    const settings: XiaozhiSettings = { url, conversation: false, tools: [], rules: [], mode: "dontAsk" };
    const open = deviceSessions({ settings, desk: undefined, cwd: project, backend: undefined });
    cloud.options.autoPong = false;
    const peer = xiaozhiPeer({ url, open, facts, onError: () => undefined, beatEveryMs: 50 });
    const inbox = { connected: () => undefined, deliver: () => undefined };
    await expect(peer.listen(inbox, AbortSignal.timeout(10_000))).rejects.toThrow("was lost (1006)");
  });
});

describe("readXiaozhi", () => {
  const env = { URL: "wss://api.example/mcp/?token=t" };
  it("takes the address from the environment, and offers nothing unless told to", () => {
    expect(readXiaozhi({ url: "${URL}" }, env)).toEqual({
      url: env.URL,
      conversation: false,
      tools: [],
      rules: [],
      mode: "dontAsk",
    });
  });

  it.each<[unknown, RegExp]>([
    [[], /must be an object/],
    [{}, /url must be a text/],
    [{ url: env.URL }, /url is a secret/],
    [{ url: "${OTHER}" }, /OTHER, which isn't set/],
    [{ url: "${HTTP}" }, /no wss address/],
    [{ url: "${URL}", mode: "bypass" }, /not bypass/],
    [{ url: "${URL}", conversation: "yes" }, /true or false/],
    [{ url: "${URL}", tools: "exec" }, /list of texts/],
    [{ url: "${URL}", rules: ["exec"] }, /doesn't say what the rule does/],
    [{ url: "${URL}", token: "x" }, /no key token/],
  ])("refuses %j", (entry, why) => {
    expect(() => readXiaozhi(entry, { ...env, HTTP: "http://example.com" })).toThrow(why);
  });
});
