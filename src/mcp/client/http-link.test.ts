import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { HttpMcpServer } from "../../../test/fixtures/http-mcp-server.ts";
import { memoryBackend } from "../../backends/memory.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import type { McpServerConfig } from "./config.ts";
import { McpServers } from "./mcp-servers.ts";

async function connect(config: McpServerConfig): Promise<{ servers: McpServers; toolkit: Toolkit }> {
  const servers = new McpServers({ servers: { s: config } });
  await servers.start();
  const toolkit = new Toolkit({ backend: memoryBackend(), mode: "bypass" });
  servers.attach(toolkit);
  return { servers, toolkit };
}

describe("a server over HTTP", () => {
  it.each<[string, "http" | "sse", string]>([
    ["Streamable HTTP", "http", "/mcp"],
    ["SSE", "sse", "/sse"],
    ["SSE where it refuses a POST", "http", "/sse"],
  ])("is spoken to over %s", async (_name, type, path) => {
    await using server = new HttpMcpServer();
    const url = (await server.listen()) + path;
    const { servers, toolkit } = await connect({ type, url });
    await using _servers = servers;
    expect(await toolkit.execute("mcp__s__count")).toMatchObject({ state: "success", text: "call 1" });
  });

  it("gets its headers with every request", async () => {
    await using server = new HttpMcpServer("secret");
    const url = `${await server.listen()}/mcp`;
    const { servers, toolkit } = await connect({
      type: "http",
      url,
      headers: { Authorization: "Bearer secret" },
    });
    expect(await toolkit.execute("mcp__s__count")).toMatchObject({ state: "success" });
    await servers[Symbol.asyncDispose]();
    expect(new Set(server.authorizations)).toEqual(new Set(["Bearer secret"]));
  });

  it("that refuses access is given up, with a word about tokens", async () => {
    await using server = new HttpMcpServer("secret");
    const { servers } = await connect({ type: "http", url: `${await server.listen()}/mcp` });
    await using _servers = servers;
    expect(servers.servers).toMatchObject([
      {
        status: "failed",
        problems: [
          "The MCP server s can't be used: it refuses access (HTTP 401); give it a token in `headers`.",
        ],
      },
    ]);
  });

  it("that has forgotten the session gets a new one, and the call once", async () => {
    await using server = new HttpMcpServer();
    const { servers, toolkit } = await connect({ type: "http", url: `${await server.listen()}/mcp` });
    await using _servers = servers;
    server.sessions.clear();
    expect(await toolkit.execute("mcp__s__count")).toMatchObject({ state: "success", text: "call 1" });
    expect(server.calls).toBe(1);
  });

  it("that answers without end is cut off", async () => {
    await using server = new HttpMcpServer();
    server.answerBytes = 70 * 1024 * 1024;
    const { servers, toolkit } = await connect({ type: "http", url: `${await server.listen()}/mcp` });
    await using _servers = servers;
    const { state, text } = await toolkit.execute("mcp__s__count");
    expect({ state, text }).toEqual({
      state: "error",
      text: expect.stringContaining("A message is larger than"),
    });
  });

  it("is known by its host to rules, when it is trusted", async () => {
    const handler = createMcpHandler(newerOnly, { legacy: "reject" });
    const http = createServer(getRequestListener((request) => handler.fetch(request)));
    await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
    const address = http.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/mcp`;
    // It speaks only the newer protocol, too.
    const { servers, toolkit } = await connect({ type: "http", url, trusted: true });
    expect(await toolkit.execute("mcp__s__new")).toMatchObject({ state: "success", text: "newer" });
    expect(await toolkit.judge("mcp__s__new")).toMatchObject({
      behavior: "allow",
      effects: [{ kind: "connect", readOnly: true, host: "127.0.0.1" }],
    });
    await servers[Symbol.asyncDispose]();
    await handler.close();
    http.closeAllConnections();
    await new Promise((done) => http.close(done));
  });
});

function newerOnly(): Server {
  const server = new Server({ name: "newer", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "new", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
  }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "newer" }] }));
  return server;
}
