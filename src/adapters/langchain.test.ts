import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Toolkit } from "../toolkit/toolkit.ts";
import { PIXEL, smallToolkit } from "./fixtures/toolkit.ts";
import { langchainTools, toolsFromLangchain } from "./langchain.ts";

const call = (name: string, args: Record<string, unknown>, id = "c1") => ({
  type: "tool_call" as const,
  id,
  name,
  args,
});

async function invoke(toolkit: Toolkit, name: string, args: Record<string, unknown>): Promise<unknown> {
  const found = langchainTools(toolkit).find((one) => one.name === name);
  return found?.invoke(call(name, args));
}

describe("a toolkit's tools in LangChain", () => {
  it("are shown to a model with their schemas", () => {
    const [add] = langchainTools(smallToolkit().toolkit);
    if (add === undefined) throw new Error("no tool");
    expect(convertToOpenAITool(add)).toEqual({
      type: "function",
      function: {
        name: "add",
        description: "Adds two numbers.",
        parameters: expect.objectContaining({ type: "object", required: ["a", "b"] }),
      },
    });
  });

  it.each<[string, string, Record<string, unknown>, "success" | "error", unknown]>([
    ["runs a call", "add", { a: 1, b: 2 }, "success", "3"],
    ["answers arguments that don't fit", "add", { a: "x" }, "error", expect.stringMatching(/number/)],
    ["answers a tool that fails", "fail", {}, "error", expect.stringMatching(/on fire/)],
    [
      "answers a call that nobody approves",
      "deploy",
      { service: "web" },
      "error",
      expect.stringMatching(/approval/),
    ],
    ["answers with nothing", "quiet", {}, "success", "(no output)"],
    [
      "gives images",
      "picture",
      {},
      "success",
      [
        { type: "text", text: "One pixel:" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
      ],
    ],
  ])("%s", async (_title, name, args, status, content) => {
    const { toolkit, deployed } = smallToolkit();
    const message = await invoke(toolkit, name, args);
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message).toMatchObject({ name, tool_call_id: "c1", status, content });
    expect(deployed).toEqual([]);
  });

  it("gives the content alone where it isn't called for a model", async () => {
    const [add] = langchainTools(smallToolkit().toolkit);
    expect(await add?.invoke({ a: 1, b: 2 })).toBe("3");
    expect(await add?.invoke({ a: 1 })).toMatch(/`?b`?/);
  });

  it("asks the approver that came along", async () => {
    const { toolkit, deployed } = smallToolkit();
    const asked: string[] = [];
    const tools = langchainTools(toolkit, {
      approver: ({ toolName }) => {
        asked.push(toolName);
        return { approved: true, by: "ann" };
      },
    });
    const message = await tools
      .find(({ name }) => name === "deploy")
      ?.invoke(call("deploy", { service: "web" }));
    expect(message).toMatchObject({ status: "success", content: "web is live." });
    expect([asked, deployed]).toEqual([["deploy"], ["web"]]);
  });

  it("stops with its signal, and answers", async () => {
    const stop = new AbortController();
    const count = langchainTools(smallToolkit().toolkit).find(({ name }) => name === "count");
    const running = count?.invoke(call("count", {}), { signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    expect(await running).toMatchObject({ status: "error", artifact: { state: "interrupted" } });
  });
});

describe("LangChain's tools in a toolkit", () => {
  const search = tool(async ({ query, most }) => `${most} hits for ${query}`, {
    name: "search",
    description: "Searches.",
    schema: z.object({ query: z.string(), most: z.number().default(3) }),
  });
  const shout = tool(async (text: string) => text.toUpperCase(), {
    name: "shout",
    description: "Shouts.",
    schema: z.string(),
  });
  const byJsonSchema = tool(async (input: unknown) => ({ got: input }), {
    name: "raw",
    description: "Takes JSON Schema.",
    schema: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] },
  });
  const failing = tool(
    async () => {
      throw new Error("The index is gone.");
    },
    { name: "failing", description: "Fails.", schema: z.object({}) },
  );
  const picture = tool(
    async () => [{ type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }],
    { name: "picture", description: "Shows.", schema: z.object({}) },
  );
  const given = [search, shout, byJsonSchema, failing, picture];
  const readOnly = given.map(({ name }) => name);

  it.each<[string, string, string, object]>([
    [
      "runs one with the schema's defaults",
      "search",
      '{"query":"cats"}',
      { state: "success", text: "3 hits for cats" },
    ],
    ["checks the input", "search", '{"query":1}', { state: "error", text: expect.stringMatching(/query/) }],
    ["runs one that takes a text", "shout", '{"input":"hey"}', { state: "success", text: "HEY" }],
    ["runs one with a JSON Schema", "raw", '{"x":1}', { state: "success", text: '{"got":{"x":1}}' }],
    [
      "answers where one throws",
      "failing",
      "{}",
      { state: "error", text: expect.stringMatching(/index is gone/) },
    ],
    [
      "takes images",
      "picture",
      "{}",
      { content: [{ type: "data", source: { type: "base64", mediaType: "image/png", data: PIXEL } }] },
    ],
  ])("%s", async (_title, name, input, expected) => {
    const toolkit = new Toolkit({ tools: toolsFromLangchain(given, { readOnly }) });
    expect(await toolkit.execute(name, input)).toMatchObject(expected);
  });

  it("asks about what isn't named as changing nothing", async () => {
    const toolkit = new Toolkit({ tools: toolsFromLangchain(given) });
    expect(await toolkit.judge("search", '{"query":"cats"}')).toMatchObject({ behavior: "ask" });
    expect(await toolkit.execute("search", '{"query":"cats"}')).toMatchObject({ state: "denied" });
  });

  it("goes round: into a toolkit and out again", async () => {
    const toolkit = new Toolkit({ tools: toolsFromLangchain(given, { readOnly }) });
    expect(await invoke(toolkit, "search", { query: "cats" })).toMatchObject({ content: "3 hits for cats" });
  });
});
