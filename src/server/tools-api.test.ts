import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditDirectory } from "../audit/jsonl-log.ts";
import { ConsoleHistory } from "../channels/console/history.ts";
import { ConsoleChannel } from "../channels/console.ts";
import { openServed } from "../cli/serve-session.ts";
import { storePlace } from "../cli/store-place.ts";
import { answerApproval } from "../gate/answer-approval.ts";
import type { Store } from "../store.ts";
import { accessFor } from "./access.ts";
import { type HttpServer, httpServer } from "./http-server.ts";

const TOKEN = "a-token-of-enough-characters";
let project: string;
let server: HttpServer;
let store: Store;
const { HOME } = process.env;

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-api-")));
  mkdirSync(join(project, ".git"));
  // The store's key lies in the user's folder.
  process.env.HOME = join(project, "home");
  store = (await storePlace(project, join(project, "state.db"))).open();
  server = await httpServer({
    host: "127.0.0.1",
    port: 0,
    access: accessFor("127.0.0.1", TOKEN),
    open: openServed({
      cwd: project,
      preset: "assistant",
      withSettings: false,
      store: join(project, "state.db"),
    }),
    facts: { version: "0", instructions: "" },
    auditDirectory: auditDirectory(project),
    console: {
      channel: new ConsoleChannel(new ConsoleHistory(join(project, ".toolgate", "console"))),
      store,
      channels: { statuses: [] },
      answers: false,
    },
    onError: (error) => {
      throw error;
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  process.env.HOME = HOME;
  rmSync(project, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(path: string, body?: unknown, token: string = TOKEN): Promise<Reply> {
  const response = await fetch(`${server.url}/api${path}`, {
    headers: { Authorization: `Bearer ${token}` },
    ...(body === undefined
      ? {}
      : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const execute = (tool_name: string, args: unknown) => ask("/tools/execute", { tool_name, arguments: args });

describe("the tools over plain HTTP", () => {
  it("let nobody in without the token, nor a foreign page", async () => {
    for (const path of ["/tools", "/audit", "/tools/execute", "/nothing"]) {
      expect((await ask(path, path === "/tools/execute" ? {} : undefined, "wrong")).status).toBe(401);
    }
    const foreign = await fetch(`${server.url}/api/tools`, {
      headers: { Authorization: `Bearer ${TOKEN}`, Origin: "https://evil.example" },
    });
    expect(foreign.status).toBe(403);
  });

  it("are listed as a model is told about them", async () => {
    const { status, body } = await ask("/tools");
    expect(status).toBe(200);
    expect(body.tools).toContainEqual({
      type: "function",
      function: {
        name: "exec",
        description: expect.any(String),
        parameters: expect.objectContaining({ type: "object" }),
      },
    });
  });

  it.each([
    ["list_dir", {}, 200, { success: true, state: "success" }],
    ["list_dir", "{}", 200, { success: true }],
    ["read_file", { path: "gone.txt" }, 200, { success: false, state: "error", code: "not_found" }],
    ["read_file", { path: "/etc/hosts" }, 403, { success: false, state: "denied", code: "denied" }],
    ["read_file", {}, 400, { success: false, code: "invalid_input" }],
    ["read_fil", {}, 404, { success: false, code: "unknown_tool" }],
    ["read_file", 7, 400, { error: "`arguments` must be an object, or its JSON text." }],
  ] as const)("%s %j answers %d", async (name, args, status, body) => {
    expect(await execute(name, args)).toMatchObject({ status, body });
  });

  it.each(["nonsense", "[]", "{}"])("refuse the body %s", async (body) => {
    expect(await ask("/tools/execute", body)).toMatchObject({ status: 400, body: { success: false } });
  });

  it("park what has to be asked, and run it once somebody has said yes", async () => {
    const input = { command: "touch made.txt" };
    const parked = await execute("exec", input);
    expect(parked).toMatchObject({
      status: 202,
      body: { success: false, code: "approval_required", approval_id: expect.any(String) },
    });
    expect(existsSync(join(project, "made.txt"))).toBe(false);
    await using store = (await storePlace(project, join(project, "state.db"))).open();
    await answerApproval(store, String(parked.body.approval_id), { approved: true, by: "ann" });
    expect(await execute("exec", input)).toMatchObject({ status: 200, body: { success: true } });
    expect(existsSync(join(project, "made.txt"))).toBe(true);
  });
});

describe("the records over plain HTTP", () => {
  const records = async (query: string): Promise<readonly Readonly<Record<string, string>>[]> => {
    const { status, body } = await ask(`/audit${query}`);
    expect(status).toBe(200);
    return JSON.parse(JSON.stringify(body.records));
  };

  it("come newest first, by filter", async () => {
    for (const path of ["x1", "x2", "x3"]) await execute("list_dir", { path });
    const all = await records("");
    const times = all.map(({ timestamp = "" }) => timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect(all[0]).toMatchObject({ tool_name: "list_dir", arguments: { path: "x3" }, status: "error" });
    expect(await records("?limit=2")).toEqual(all.slice(0, 2));
    expect((await records("?tool_name=exec")).every(({ tool_name }) => tool_name === "exec")).toBe(true);
    expect((await records("?status=denied")).map(({ status }) => status)).toContain("denied");
    expect(await records(`?since=${all[1]?.timestamp}`)).toHaveLength(2);
    expect(await records("?session_id=none")).toEqual([]);
  });

  it.each(["0", "1001", "x"])("refuse a limit of %s", async (limit) => {
    expect((await ask(`/audit?limit=${limit}`)).status).toBe(400);
  });
});
