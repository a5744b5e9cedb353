import OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { type Reply, ScriptedServer } from "./fixtures/scripted-server.ts";
import { PIXEL, smallToolkit } from "./fixtures/toolkit.ts";
import {
  answerChat,
  answerResponse,
  ChatStream,
  chatTools,
  ResponseStream,
  responseTools,
  toolCallsFromChat,
} from "./openai.ts";

const clientOf = (server: ScriptedServer): OpenAI =>
  new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });

type Call = readonly [id: string, name: string, args: string];

const completion = (calls: readonly Call[], finish_reason = "tool_calls"): Reply => ({
  json: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        finish_reason,
        message: {
          role: "assistant",
          content: null,
          tool_calls: calls.map(([id, name, args]) => ({
            id,
            type: "function",
            function: { name, arguments: args },
          })),
        },
      },
    ],
  },
});

const chunk = (delta: unknown, finish_reason: string | null = null) => ({
  data: {
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  },
});

/** One turn against a server that answers with these calls: the messages that answer them. */
async function chatTurn(calls: readonly Call[], finish?: string): Promise<ChatCompletionMessageParam[]> {
  const { toolkit } = smallToolkit();
  await using server = await ScriptedServer.start(completion(calls, finish));
  const { choices } = await clientOf(server).chat.completions.create({
    model: "m",
    messages: [{ role: "user", content: "go" }],
    tools: chatTools(toolkit),
  });
  const [choice] = choices;
  return choice === undefined ? [] : answerChat(toolkit, choice);
}

describe("Chat Completions", () => {
  it("offers the tools and answers each call", async () => {
    const { toolkit } = smallToolkit();
    await using server = await ScriptedServer.start(
      completion([
        ["call_1", "add", '{"a":1,"b":2}'],
        ["call_2", "add", '{"a":3,"b":4}'],
      ]),
      completion([], "stop"),
    );
    const client = clientOf(server);
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "add" }];
    const tools = chatTools(toolkit);
    const first = await client.chat.completions.create({ model: "m", messages, tools });
    const [choice] = first.choices;
    if (choice === undefined) throw new Error("no choice");
    messages.push(choice.message, ...(await answerChat(toolkit, choice)));
    await client.chat.completions.create({ model: "m", messages, tools });
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
    expect(server.requests[0]?.body.tools).toContainEqual({
      type: "function",
      function: {
        name: "add",
        description: "Adds two numbers.",
        parameters: expect.objectContaining({ type: "object", required: ["a", "b"] }),
      },
    });
    expect(server.requests[1]?.body.messages).toEqual([
      { role: "user", content: "add" },
      choice.message,
      { role: "tool", tool_call_id: "call_1", content: "3" },
      { role: "tool", tool_call_id: "call_2", content: "7" },
    ]);
  });

  it.each<[string, Call, RegExp]>([
    ["arguments that are no object", ["x", "add", "[1,2]"], /a JSON object is expected/],
    ["arguments that don't fit", ["x", "add", '{"a":"one","b":2}'], /`?a`?.*number/],
    ["arguments that aren't JSON", ["x", "add", "%%"], /isn't JSON/],
    ["a tool that isn't there", ["x", "substract", "{}"], /substract/],
    ["a tool without a name", ["x", "", "{}"], /./],
    ["a tool that fails", ["x", "fail", ""], /on fire/],
    ["a call that nobody approves", ["x", "deploy", '{"service":"web"}'], /approval/],
    ["an answer without content", ["x", "quiet", ""], /^\(no output\)$/],
    ["an empty id", ["", "add", '{"a":1,"b":2}'], /^3$/],
    ["__proto__ among the arguments", ["x", "add", '{"a":1,"b":2,"__proto__":{"c":1}}'], /./],
  ])("answers %s", async (_title, call, text) => {
    const [message, ...rest] = await chatTurn([call]);
    expect(message).toEqual({ role: "tool", tool_call_id: call[0], content: expect.stringMatching(text) });
    expect(rest).toEqual([]);
  });

  it("answers calls of one id one by one", async () => {
    const answers = await chatTurn([
      ["same", "add", '{"a":1,"b":1}'],
      ["same", "add", '{"a":2,"b":2}'],
    ]);
    expect(answers.map(({ content }) => content)).toEqual(["2", "4"]);
  });

  it("gives images after the results", async () => {
    const answers = await chatTurn([
      ["p", "picture", "{}"],
      ["a", "add", '{"a":1,"b":1}'],
    ]);
    expect(answers).toEqual([
      {
        role: "tool",
        tool_call_id: "p",
        content: "One pixel:\n[pixel.png: attached in the message after the results]",
      },
      { role: "tool", tool_call_id: "a", content: "2" },
      {
        role: "user",
        content: [
          { type: "text", text: "pixel.png, from picture (p):" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
        ],
      },
    ]);
  });

  it("never runs a call that the length limit cut off, though it could be repaired", async () => {
    const { toolkit, deployed } = smallToolkit({ mode: "bypass" });
    const turn = {
      finish_reason: "length",
      message: {
        tool_calls: [
          { id: "whole", type: "function", function: { name: "add", arguments: '{"a":1,"b":2}' } },
          { id: "cut", type: "function", function: { name: "deploy", arguments: '{"service":"we' } },
        ],
      },
    } as const;
    const answers = await answerChat(toolkit, {
      ...turn,
      message: { tool_calls: [...turn.message.tool_calls] },
    });
    expect(answers).toEqual([
      { role: "tool", tool_call_id: "whole", content: "3" },
      { role: "tool", tool_call_id: "cut", content: expect.stringContaining("deploy was not run") },
    ]);
    expect(deployed).toEqual([]);
  });

  const STREAMS: readonly (readonly [string, readonly unknown[]])[] = [
    [
      "by index",
      [
        { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "add", arguments: "" } }] },
        {
          tool_calls: [
            { index: 1, id: "b", type: "function", function: { name: "add", arguments: '{"a":' } },
          ],
        },
        {
          tool_calls: [
            { index: 0, function: { arguments: '{"a":1,' } },
            { index: 1, function: { arguments: "3," } },
          ],
        },
        {
          tool_calls: [
            { index: 0, function: { arguments: '"b":2}' } },
            { index: 1, function: { arguments: '"b":4}' } },
          ],
        },
      ],
    ],
    [
      "by id, where every part has index 0",
      [
        { tool_calls: [{ index: 0, id: "a", function: { name: "add", arguments: '{"a":1,"b":2}' } }] },
        { tool_calls: [{ index: 0, id: "b", function: { name: "add", arguments: '{"a":3,' } }] },
        { tool_calls: [{ index: 0, id: "b", function: { arguments: '"b":4}' } }] },
      ],
    ],
    [
      "in order, where there is no index",
      [
        { tool_calls: [{ id: "a", function: { name: "add", arguments: '{"a":1,"b":2}' } }] },
        { tool_calls: [{ id: "b", function: { name: "add", arguments: '{"a":3,' } }] },
        { tool_calls: [{ function: { arguments: '"b":4}' } }] },
      ],
    ],
  ];
  it.each(STREAMS)("puts streamed calls together %s", async (_title, deltas) => {
    const { toolkit } = smallToolkit();
    const events = [
      chunk({ role: "assistant", content: "I'll " }),
      chunk({ content: "add." }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, "tool_calls"),
      { data: "[DONE]" },
    ];
    await using server = await ScriptedServer.start({ events });
    const stream = await clientOf(server).chat.completions.create({
      model: "m",
      messages: [{ role: "user", content: "add" }],
      stream: true,
    });
    const whole = new ChatStream();
    for await (const part of stream) whole.add(part);
    expect(whole.message.content).toBe("I'll add.");
    expect(whole.message.tool_calls?.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(await answerChat(toolkit, whole.turn)).toEqual([
      { role: "tool", tool_call_id: "a", content: "3" },
      { role: "tool", tool_call_id: "b", content: "7" },
    ]);
  });

  it("never runs what a broken stream cut off", async () => {
    const { toolkit, deployed } = smallToolkit({ mode: "bypass" });
    const part = {
      tool_calls: [{ index: 0, id: "a", function: { name: "deploy", arguments: '{"service":"we' } }],
    };
    await using server = await ScriptedServer.start({ events: [chunk(part)] });
    const stream = await clientOf(server).chat.completions.create({ model: "m", messages: [], stream: true });
    const whole = new ChatStream();
    for await (const given of stream) whole.add(given);
    expect(toolCallsFromChat(whole.turn)).toEqual([
      { id: "a", name: "deploy", input: '{"service":"we', isCutOff: true },
    ]);
    expect(await answerChat(toolkit, whole.turn)).toHaveLength(1);
    expect(deployed).toEqual([]);
  });
});

const responseCall = (id: string, name: string, args: string, status = "completed") => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: args,
  status,
});

const response = (output: readonly unknown[], status = "completed") => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status,
  output,
});

describe("Responses", () => {
  it("offers the tools and answers each call", async () => {
    const { toolkit } = smallToolkit();
    const output = [
      responseCall("a", "add", '{"a":1,"b":2}'),
      responseCall("p", "picture", "{}"),
      responseCall("x", "add", '{"a":null}'),
      { type: "custom_tool_call", call_id: "c", name: "add", input: "one plus one" },
      responseCall("d", "deploy", '{"service":"web"}'),
    ];
    await using server = await ScriptedServer.start({ json: response(output) }, { json: response([]) });
    const client = clientOf(server);
    const tools = responseTools(toolkit);
    const first = await client.responses.create({ model: "m", input: "add", tools });
    await client.responses.create({
      model: "m",
      previous_response_id: first.id,
      input: await answerResponse(toolkit, first),
      tools,
    });
    expect(server.requests[0]?.body.tools).toContainEqual({
      type: "function",
      name: "add",
      description: "Adds two numbers.",
      parameters: expect.objectContaining({ type: "object" }),
      strict: false,
    });
    expect(server.requests[1]?.body.input).toEqual([
      { type: "function_call_output", call_id: "a", output: "3" },
      {
        type: "function_call_output",
        call_id: "p",
        output: [
          { type: "input_text", text: "One pixel:" },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PIXEL}` },
        ],
      },
      { type: "function_call_output", call_id: "x", output: expect.stringMatching(/number/) },
      { type: "custom_tool_call_output", call_id: "c", output: expect.stringMatching(/isn't JSON/) },
      { type: "function_call_output", call_id: "d", output: expect.stringMatching(/approval/) },
    ]);
  });

  it("puts streamed calls together, and never runs what was cut off", async () => {
    const { toolkit, deployed } = smallToolkit({ mode: "bypass" });
    const types = [
      { type: "response.created", response: response([], "in_progress") },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: responseCall("a", "add", "", "in_progress"),
      },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: responseCall("b", "deploy", "", "in_progress"),
      },
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_a", delta: '{"a":1,' },
      {
        type: "response.function_call_arguments.delta",
        output_index: 1,
        item_id: "fc_b",
        delta: '{"service":"we',
      },
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_a", delta: '"b":2}' },
      {
        type: "response.function_call_arguments.done",
        output_index: 0,
        item_id: "fc_a",
        arguments: '{"a":1,"b":2}',
      },
      { type: "response.output_item.done", output_index: 0, item: responseCall("a", "add", '{"a":1,"b":2}') },
    ];
    const events = types.map((data, at) => ({ event: data.type, data: { ...data, sequence_number: at } }));
    await using server = await ScriptedServer.start({ events });
    const stream = await clientOf(server).responses.create({ model: "m", input: "add", stream: true });
    const whole = new ResponseStream();
    for await (const event of stream) whole.add(event);
    expect(await answerResponse(toolkit, whole.turn)).toEqual([
      { type: "function_call_output", call_id: "a", output: "3" },
      { type: "function_call_output", call_id: "b", output: expect.stringContaining("deploy was not run") },
    ]);
    expect(deployed).toEqual([]);
  });
});
