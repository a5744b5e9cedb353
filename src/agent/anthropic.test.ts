import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import { expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import { toolChunk } from "../chunk.ts";
import { defineTool } from "../define-tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { Agent } from "./agent.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A turn in which the model thinks, and then calls. */
const CALLING = [
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "I need to see it." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "signed" } },
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id: "toolu_1", name: "Camera", input: {} },
  },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"zoom":' } },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "2}" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 7 },
  },
];
const SAYING = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "A dot." } },
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 3 },
  },
];
const START = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-any",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 0 },
  },
};

it("works with another provider's package: thoughts keep their signature, images go into results", async () => {
  const turns = [CALLING, SAYING];
  const requests: { readonly messages: readonly unknown[] }[] = [];
  await using server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    requests.push(JSON.parse(body));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of [START, ...(turns.shift() ?? []), { type: "message_stop" }]) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const model = createAnthropic({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" })("claude-any");
  const camera = defineTool({
    name: "Camera",
    description: "Takes a picture.",
    input: { type: "object", properties: { zoom: { type: "integer" } } },
    isReadOnly: true,
    call: () => {
      const source = { type: "base64" as const, data: PNG, mediaType: "image/png" };
      return toolChunk({ text: "Taken.", content: [{ type: "data", id: "p", source }] });
    },
  });
  const toolkit = new Toolkit({ tools: [camera], backend: memoryBackend() });
  const reply = await new Agent({ model, toolkit }).reply("What is there?");
  expect(reply).toMatchObject({
    reason: "completed",
    text: "A dot.",
    usage: { inputTokens: 20, outputTokens: 10, modelCalls: 2 },
  });
  expect(requests[1]?.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "What is there?" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "I need to see it.", signature: "signed" },
        expect.objectContaining({ type: "tool_use", id: "toolu_1", name: "Camera", input: { zoom: 2 } }),
      ],
    },
    {
      role: "user",
      content: [
        expect.objectContaining({
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [
            { type: "text", text: "Taken." },
            { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
          ],
        }),
      ],
    },
  ]);
});
