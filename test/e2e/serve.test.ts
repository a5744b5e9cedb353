import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, ERAS, httpClient } from "./mcp-client.ts";
import { exitOf, isRunning, Playground, until } from "./toolgate.ts";

let play: Playground;
let server: ChildProcessWithoutNullStreams;
let place: { readonly url: string; readonly token: string; readonly mcpUrl: string };

async function serve(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  server = play.start(["serve", "--port", "0", "--json", ...args], env);
  let stdout = "";
  server.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  await until(() => stdout.includes("\n"));
  place = JSON.parse(stdout.split("\n")[0] ?? "");
}

beforeEach(async () => {
  play = await new Playground().make();
});
afterEach(async () => {
  if (server.exitCode === null) {
    server.kill("SIGKILL");
    await exitOf(server);
  }
  play[Symbol.dispose]();
});

/** A request with any header, `Host` too, which `fetch` doesn't let one set. */
function status(path: string, headers: Record<string, string>, body?: string): Promise<number> {
  return new Promise((done, fail) => {
    const method = body === undefined ? "GET" : "POST";
    const sent = request(`${place.url}${path}`, { method, headers }, (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    sent.on("error", fail).end(body);
  });
}

describe.each(ERAS)("toolgate serve, %s protocol", (era) => {
  it("lists, runs, and asks", async () => {
    await serve();
    const client = await httpClient(place.mcpUrl, place.token, {
      era,
      answer: ({ choices }) => ({ content: { answer: choices[0] } }),
    });
    expect((await client.listTools()).tools).toHaveLength(8);
    expect(await call(client, "Bash", { command: "echo over http" })).toMatchObject({
      text: expect.stringContaining("over http"),
      state: "success",
    });
    expect(await call(client, "Bash", { command: "touch made.txt" })).toMatchObject({ state: "success" });
    expect(existsSync(join(play.project, "made.txt"))).toBe(true);
    await client.close();
  });

  it("passes on progress and cancellation", async () => {
    await serve(["--mode", "bypass"]);
    const client = await httpClient(place.mcpUrl, place.token, { era });
    const pidFile = join(play.project, "pid");
    const controller = new AbortController();
    let seen = 0;
    const ended = call(
      client,
      "Bash",
      {
        command: `echo $$ > ${pidFile}; for i in 1 2 3 4 5 6 7 8 9; do echo step $i; sleep 0.3; done; sleep 300`,
      },
      { signal: controller.signal, onprogress: () => (seen += 1) },
    ).then(
      () => "answered",
      () => "cancelled",
    );
    await until(() => seen >= 2);
    controller.abort("enough");
    expect(await ended).toBe("cancelled");
    await until(() => !isRunning(Number(readFileSync(pidFile, "utf8"))));
    await client.close();
  });

  it("serves two clients at once", async () => {
    await serve();
    const clients = await Promise.all([1, 2].map(() => httpClient(place.mcpUrl, place.token, { era })));
    const answers = await Promise.all(
      clients.flatMap((client, at) =>
        [1, 2, 3].map((n) => call(client, "Bash", { command: `sleep 0.1; echo client${at}-${n}` })),
      ),
    );
    expect(answers.map(({ text }) => /client\d-\d/.exec(text)?.[0])).toEqual([
      "client0-1",
      "client0-2",
      "client0-3",
      "client1-1",
      "client1-2",
      "client1-3",
    ]);
    await Promise.all(clients.map((client) => client.close()));
    expect(JSON.parse((await play.run(["audit", "verify", "--json"])).stdout)).toMatchObject({ ok: true });
  });
});

describe("toolgate serve", () => {
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

  it("turns away who has no token or comes from elsewhere", async () => {
    await serve();
    const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const authorized = { ...json, authorization: `Bearer ${place.token}` };
    expect(await status("/mcp", json, message)).toBe(401);
    expect(await status("/mcp", { ...json, authorization: "Bearer wrong" }, message)).toBe(401);
    expect(await status("/mcp", { ...authorized, host: "evil.example" }, message)).toBe(403);
    expect(await status("/mcp", { ...authorized, origin: "https://evil.example" }, message)).toBe(403);
    expect(await status("/", { host: "evil.example" })).toBe(403);
    expect(await status("/mcp", { ...authorized, "mcp-session-id": "none" }, message)).toBe(404);
    expect(await status("/mcp", authorized)).toBe(400);
    expect(await status("/mcp", authorized, "{ nonsense")).toBe(400);
    expect(await status("/mcp", authorized, "x".repeat(40 * 1024 * 1024))).toBe(413);
    expect(await status("/nothing", {})).toBe(404);
    expect(await status("/health", {})).toBe(200);
  });

  it("has a page that shows no secret and runs nothing", async () => {
    await serve();
    const response = await fetch(place.url);
    const page = await response.text();
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page).toContain(place.mcpUrl);
    expect(page).not.toContain(place.token);
    expect(page).not.toContain(play.project);
  });

  it("takes the token from TOOLGATE_TOKEN", async () => {
    await serve([], { TOOLGATE_TOKEN: "a-token-of-my-own-choice" });
    expect(place.token).toBe("a-token-of-my-own-choice");
    const client = await httpClient(place.mcpUrl, place.token);
    await client.close();
  });

  it("says that a port is taken", async () => {
    await serve();
    const { port } = new URL(place.url);
    const second = await play.run(["serve", "--port", port]);
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining("already in use") });
  });

  it("refuses to be reached from outside without a token of one's own", async () => {
    await serve();
    expect(await play.run(["serve", "--port", "0", "--host", "0.0.0.0"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("TOOLGATE_TOKEN"),
    });
  });

  it.each(["SIGINT", "SIGTERM"] as const)("%s stops what runs and ends well", async (signal) => {
    await serve(["--mode", "bypass"]);
    const client = await httpClient(place.mcpUrl, place.token);
    const pidFile = join(play.project, "pid");
    call(client, "Bash", { command: `echo $$ > ${pidFile}; sleep 300` }).catch(() => undefined);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    server.kill(signal);
    expect(await exitOf(server)).toBe(0);
    expect(isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(false);
    await client.close().catch(() => undefined);
  });
});
