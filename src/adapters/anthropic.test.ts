import Anthropic from "@anthropic-ai/sdk";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import { answerMessage, anthropicTools, MessageStream, toolResultMessage } from "./anthropic.ts";
import { type Reply, ScriptedServer } from "./fixtures/scripted-server.ts";
import { PIXEL, smallToolkit } from "./fixtures/toolkit.ts";
import { answerCalls } from "./turn.ts";

const clientOf = (server: ScriptedServer): Anthropic =>
  new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });

const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });

const message = (content: readonly unknown[], stop_reason: string | null = "tool_use") => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

const ask = { model: "m", max_tokens: 100 } as const;
const go: MessageParam[] = [{ role: "user", content: "go" }];

/** One turn against a server that answers with this content. */
async function turn(content: readonly unknown[], stopReason?: string): Promise<MessageParam | undefined> {
  const { toolkit } = smallToolkit();
  await using server = await ScriptedServer.start({ json: message(content, stopReason) });
  const tools = anthropicTools(toolkit);
  return answerMessage(toolkit, await clientOf(server).messages.create({ ...ask, messages: go, tools }));
}

const streamOf = (blocks: readonly (readonly [object, readonly object[]])[], stop?: string): Reply => {
  const events = [
    { type: "message_start", message: message([], null) },
    ...blocks.flatMap(([content_block, deltas], index) => [
      { type: "content_block_start", index, content_block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      ...(stop === undefined ? [] : [{ type: "content_block_stop", index }]),
    ]),
    ...(stop === undefined
      ? []
      : [
          {
            type: "message_delta",
            delta: { stop_reason: stop, stop_sequence: null },
            usage: { output_tokens: 9 },
          },
          { type: "message_stop" },
        ]),
  ];
  return { events: events.map((data) => ({ event: data.type, data })) };
};

const json = (...parts: readonly string[]) =>
  parts.map((partial_json) => ({ type: "input_json_delta", partial_json }));

describe("Messages", () => {
  it("offers the tools and answers each call", async () => {
    const { toolkit } = smallToolkit();
    const content = [
      { type: "text", text: "Let me see." },
      use("a", "add", { a: 1, b: 2 }),
      use("p", "picture", {}),
      use("x", "add", { a: "one" }),
      use("q", "quiet", {}),
      use("d", "deploy", { service: "web" }),
    ];
    await using server = await ScriptedServer.start(
      { json: message(content) },
      { json: message([{ type: "text", text: "3" }], "end_turn") },
    );
    const client = clientOf(server);
    const tools = anthropicTools(toolkit);
    const first = await client.messages.create({ ...ask, messages: go, tools });
    const results = await answerMessage(toolkit, first);
    if (results === undefined) throw new Error("no results");
    const assistant = { role: "assistant", content: first.content } as const;
    const last = await client.messages.create({ ...ask, messages: [...go, assistant, results], tools });
    expect(await answerMessage(toolkit, last)).toBeUndefined();
    expect(server.requests[0]?.body.tools).toContainEqual({
      name: "add",
      description: "Adds two numbers.",
      input_schema: expect.objectContaining({ type: "object", required: ["a", "b"] }),
    });
    expect(results).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "3" },
        {
          type: "tool_result",
          tool_use_id: "p",
          content: [
            { type: "text", text: "One pixel:" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
          ],
        },
        { type: "tool_result", tool_use_id: "x", content: expect.stringMatching(/number/), is_error: true },
        { type: "tool_result", tool_use_id: "q", content: "(no output)" },
        { type: "tool_result", tool_use_id: "d", content: expect.stringMatching(/approval/), is_error: true },
      ],
    });
    expect(server.requests[1]?.body.messages).toEqual(
      JSON.parse(JSON.stringify([...go, assistant, results])),
    );
  });

  it.each<[string, unknown, RegExp]>([
    ["no object", [1], /a JSON object is expected/],
    ["nothing", null, /`?a`?/],
    ["a text that isn't JSON", "%%", /isn't JSON/],
  ])("answers a call whose input is %s", async (_title, input, text) => {
    expect(await turn([use("x", "add", input)])).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "x", content: expect.stringMatching(text), is_error: true },
      ],
    });
  });

  it("never runs the call in which the limit of tokens was reached", async () => {
    const { toolkit, deployed } = smallToolkit({ mode: "bypass" });
    const content = [use("a", "add", { a: 1, b: 2 }), use("d", "deploy", { service: "we" })];
    await using server = await ScriptedServer.start({ json: message(content, "max_tokens") });
    const given = await clientOf(server).messages.create({ ...ask, messages: go });
    expect(await answerMessage(toolkit, given)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "3" },
        {
          type: "tool_result",
          tool_use_id: "d",
          content: expect.stringContaining("deploy was not run"),
          is_error: true,
        },
      ],
    });
    expect(deployed).toEqual([]);
  });

  it("puts streamed blocks together", async () => {
    const { toolkit } = smallToolkit();
    const reply = streamOf(
      [
        [
          { type: "thinking", thinking: "", signature: "" },
          [
            { type: "thinking_delta", thinking: "Sum" },
            { type: "signature_delta", signature: "s1" },
          ],
        ],
        [
          { type: "text", text: "" },
          [
            { type: "text_delta", text: "Ad" },
            { type: "text_delta", text: "ding" },
          ],
        ],
        [use("a", "add", {}), json("", '{"a":1', ',"b":2}')],
        [use("b", "add", {}), json("%%")],
        [use("c", "quiet", {}), []],
      ],
      "tool_use",
    );
    await using server = await ScriptedServer.start(reply);
    const stream = await clientOf(server).messages.create({ ...ask, messages: go, stream: true });
    const whole = new MessageStream();
    for await (const event of stream) whole.add(event);
    expect(whole.message).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Sum", signature: "s1" },
        { type: "text", text: "Adding" },
        use("a", "add", { a: 1, b: 2 }),
        use("b", "add", {}),
        use("c", "quiet", {}),
      ],
    });
    expect(await answerMessage(toolkit, whole.turn)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "3" },
        {
          type: "tool_result",
          tool_use_id: "b",
          content: expect.stringMatching(/isn't JSON/),
          is_error: true,
        },
        { type: "tool_result", tool_use_id: "c", content: "(no output)" },
      ],
    });
  });

  it.each([
    ["the limit of tokens", "max_tokens"],
    ["a broken stream", undefined],
  ])("never runs a streamed call that %s cut off", async (_title, stop) => {
    const { toolkit, deployed } = smallToolkit({ mode: "bypass" });
    await using server = await ScriptedServer.start(
      streamOf([[use("d", "deploy", {}), json('{"service":"we')]], stop),
    );
    const stream = await clientOf(server).messages.create({ ...ask, messages: go, stream: true });
    const whole = new MessageStream();
    for await (const event of stream) whole.add(event);
    expect(await answerMessage(toolkit, whole.turn)).toMatchObject({
      content: [{ tool_use_id: "d", is_error: true, content: expect.stringContaining("was not run") }],
    });
    expect(deployed).toEqual([]);
  });

  it("gives documents, and says what can't be shown", async () => {
    const { toolkit } = smallToolkit();
    const [answer] = await answerCalls(toolkit, [{ id: "q", name: "quiet", input: "" }]);
    if (answer === undefined) throw new Error("no answer");
    const data = (mediaType: string, name?: string) => ({
      type: "data" as const,
      id: mediaType,
      ...(name === undefined ? {} : { name }),
      source: { type: "base64" as const, data: "AA==", mediaType },
    });
    const { call, response } = answer;
    const content = [data("application/pdf", "a.pdf"), data("audio/wav"), data("image/svg+xml", "b.svg")];
    const given = toolResultMessage([
      { call, response: Object.assign(Object.create(response), { content }) },
    ]);
    expect(given.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "q",
        content: [
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "AA==" },
            title: "a.pdf",
          },
          { type: "text", text: "[audio/wav: can't be shown here]" },
          { type: "text", text: "[b.svg (image/svg+xml): can't be shown here]" },
        ],
      },
    ]);
  });
});
