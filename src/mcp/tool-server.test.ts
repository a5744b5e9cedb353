import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { memoryAuditLog } from "../audit/memory-log.ts";
import { memoryBackend } from "../backends/memory.ts";
import { dataBlock, toolChunk } from "../chunk.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { type ServedTools, ToolSession } from "./tool-server.ts";

interface Wired extends AsyncDisposable {
  readonly client: Client;
  readonly toolkit: Toolkit;
  readonly session: ToolSession;
}

/** A client and a server with tools of ours, in one process. */
async function wire(tools: readonly Tool[], answer?: () => Promise<object> | object): Promise<Wired> {
  const session = new ToolSession();
  const toolkit = new Toolkit({
    tools,
    backend: memoryBackend(),
    audit: memoryAuditLog(),
    approver: session.approver,
  });
  const served: ServedTools = {
    list: () => toolkit.schemas("mcp"),
    run: (call, signal) => toolkit.run(call, { signal }),
  };
  const server = session.connect(async () => served, { version: "1", instructions: "" });
  const client = new Client(
    { name: "tester", version: "1" },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept" as const,
      ...(await answer()),
    }));
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  return {
    client,
    toolkit,
    session,
    async [Symbol.asyncDispose](): Promise<void> {
      session.close();
      await client.close();
      await toolkit[Symbol.asyncDispose]();
    },
  };
}

/** Schemas that other servers have mangled on the way. */
const SCHEMAS = {
  references: {
    type: "object",
    properties: { node: { $ref: "#/$defs/node" } },
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
    required: ["node"],
  },
  union: {
    type: "object",
    oneOf: [
      { properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { b: { type: "number" } }, required: ["b"] },
    ],
  },
} as const;

describe("ToolSession", () => {
  it.each(Object.entries(SCHEMAS))("passes a schema with %s on as it is", async (name, schema) => {
    const tool = defineTool({ name, description: "d", input: schema, isReadOnly: true, call: () => "ok" });
    await using wired = await wire([tool]);
    const { tools } = await wired.client.listTools();
    expect(tools[0]?.inputSchema).toEqual(schema);
  });

  it("carries text, pictures, sounds, links and other bytes", async () => {
    const base64 = (mediaType: string, name?: string) =>
      dataBlock({ type: "base64", data: "AAAA", mediaType }, name);
    const tool = defineTool({
      name: "all",
      description: "d",
      input: { type: "object" },
      isReadOnly: true,
      call: () =>
        toolChunk({
          text: "words",
          content: [
            base64("image/png"),
            base64("audio/wav"),
            base64("application/pdf", "a b.pdf"),
            dataBlock({ type: "url", url: "https://example.com/x", mediaType: "text/html" }),
          ],
        }),
    });
    await using wired = await wire([tool]);
    const { content, isError } = await wired.client.callTool({ name: "all", arguments: {} });
    expect({ content, isError }).toEqual({
      isError: false,
      content: [
        { type: "text", text: "words" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
        {
          type: "resource",
          resource: { uri: "toolgate:data/a%20b.pdf", mimeType: "application/pdf", blob: "AAAA" },
        },
        {
          type: "resource_link",
          uri: "https://example.com/x",
          name: "https://example.com/x",
          mimeType: "text/html",
        },
      ],
    });
  });

  it("says so when there is no output", async () => {
    const tool = defineTool({
      name: "quiet",
      description: "d",
      input: { type: "object" },
      isReadOnly: true,
      call: () => toolChunk({}),
    });
    await using wired = await wire([tool]);
    const { content } = await wired.client.callTool({ name: "quiet", arguments: {} });
    expect(content).toEqual([{ type: "text", text: "(no output)" }]);
  });

  const writes = (done: () => void) =>
    defineTool({
      name: "writes",
      description: "d",
      input: { type: "object", properties: { what: { type: "string" } } },
      call: () => {
        done();
        return "written";
      },
    });

  it("stops a call whose question is cancelled, and doesn't run it", async () => {
    let runs = 0;
    const controller = new AbortController();
    await using wired = await wire([writes(() => (runs += 1))], () => {
      controller.abort("never mind");
      return new Promise(() => undefined);
    });
    const call = wired.client.callTool({ name: "writes", arguments: {} }, { signal: controller.signal });
    await expect(call).rejects.toThrow();
    await expect.poll(() => wired.session.isBusy).toBe(false);
    expect(runs).toBe(0);
  });

  it("runs what was approved once, and leaves nothing open", async () => {
    let runs = 0;
    await using wired = await wire([writes(() => (runs += 1))], () => ({
      content: { answer: "Approve once" },
    }));
    const { content } = await wired.client.callTool({ name: "writes", arguments: { what: "x" } });
    expect(content).toEqual([{ type: "text", text: "written" }]);
    expect({ runs, busy: wired.session.isBusy }).toEqual({ runs: 1, busy: false });
  });

  it("puts the questions of calls at the same time one after the other", async () => {
    let open = 0;
    let most = 0;
    let runs = 0;
    await using wired = await wire([writes(() => (runs += 1))], async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((done) => setTimeout(done, 20));
      open -= 1;
      return { content: { answer: "Approve once" } };
    });
    const calls = ["a", "b", "c"].map((what) =>
      wired.client.callTool({ name: "writes", arguments: { what } }),
    );
    await Promise.all(calls);
    expect({ most, runs }).toEqual({ most: 1, runs: 3 });
  });

  it("stops what runs when it is closed", async () => {
    let stopped = false;
    const slow = defineTool({
      name: "slow",
      description: "d",
      input: { type: "object" },
      isReadOnly: true,
      call: (_input, { signal }) =>
        new Promise<string>((done) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            done("stopped");
          });
        }),
    });
    await using wired = await wire([slow]);
    const call = wired.client.callTool({ name: "slow", arguments: {} });
    await expect.poll(() => wired.session.isBusy).toBe(true);
    wired.session.close();
    expect(await call).toMatchObject({ isError: true, _meta: { "toolgate/state": "interrupted" } });
    expect(stopped).toBe(true);
  });
});
