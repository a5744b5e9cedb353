import { generateText, type ModelMessage, stepCountIs, streamText, type ToolSet, tool } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryAuditLog } from "../audit/memory-log.ts";
import { defineTool } from "../define-tool.ts";
import type { GateEvent } from "../event.ts";
import { newState } from "../state.ts";
import { memoryStore } from "../store/memory.ts";
import type { Store } from "../store.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { type AiSdkOptions, aiSdk, type CallOutput, modelOutput, toolsFromAiSdk } from "./ai-sdk.ts";
import { PIXEL, smallToolkit } from "./fixtures/toolkit.ts";

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Call = readonly [id: string, name: string, input: string];

const usage: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

const calls = (...made: readonly Call[]): Generated => ({
  content: made.map(([toolCallId, toolName, input]) => ({ type: "tool-call", toolCallId, toolName, input })),
  finishReason: { unified: "tool-calls", raw: undefined },
  usage,
  warnings: [],
});

const said = (text: string): Generated => ({
  content: [{ type: "text", text }],
  finishReason: { unified: "stop", raw: undefined },
  usage,
  warnings: [],
});

const modelOf = (...steps: Generated[]): MockLanguageModelV4 =>
  new MockLanguageModelV4({ doGenerate: steps });

/** What the model was shown last of each call's result. */
function results(model: MockLanguageModelV4): unknown[] {
  const prompt = model.doGenerateCalls.at(-1)?.prompt ?? [];
  return prompt.flatMap(({ role, content }) =>
    role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [part.output] : [])) : [],
  );
}

const go: ModelMessage[] = [{ role: "user", content: "go" }];
const deployCall: Call = ["d1", "deploy", '{"service":"web"}'];

/** Asks for a deployment: what was asked, and the conversation to go on with. */
async function asked(toolkit: Toolkit, options?: AiSdkOptions) {
  const settings = aiSdk(toolkit, options);
  const first = await generateText({ model: modelOf(calls(deployCall)), messages: go, ...settings });
  const request = first.content.find((part) => part.type === "tool-approval-request");
  const answer = (approved: boolean): ModelMessage[] => [
    ...go,
    ...first.response.messages,
    {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: request?.approvalId ?? "", approved }],
    },
  ];
  return { settings, request, answer };
}

describe("a toolkit in generateText", () => {
  it.each<[string, Call, unknown]>([
    ["runs a call", ["1", "add", '{"a":1,"b":2}'], { type: "text", value: "3" }],
    ["reads arguments that are nearly JSON", ["1", "add", "{a:1,b:2,}"], { type: "text", value: "3" }],
    [
      "answers arguments that don't fit",
      ["1", "add", '{"a":"x"}'],
      { type: "error-text", value: expect.stringMatching(/number/) },
    ],
    [
      "answers arguments that aren't JSON",
      ["1", "add", "%%"],
      { type: "error-text", value: expect.stringMatching(/./) },
    ],
    [
      "answers a tool that isn't there",
      ["1", "substract", "{}"],
      { type: "error-text", value: expect.stringMatching(/substract/) },
    ],
    [
      "answers a tool that fails",
      ["1", "fail", "{}"],
      { type: "error-text", value: expect.stringMatching(/on fire/) },
    ],
    ["answers with nothing", ["1", "quiet", "{}"], { type: "text", value: "(no output)" }],
    [
      "gives images",
      ["1", "picture", "{}"],
      {
        type: "content",
        value: [
          { type: "text", text: "One pixel:" },
          {
            type: "file",
            mediaType: "image/png",
            data: { type: "data", data: PIXEL },
            filename: "pixel.png",
          },
        ],
      },
    ],
  ])("%s", async (_title, call, output) => {
    const { toolkit } = smallToolkit();
    const model = modelOf(calls(call), said("Done."));
    const { text } = await generateText({ model, messages: go, ...aiSdk(toolkit), stopWhen: stepCountIs(3) });
    expect(text).toBe("Done.");
    expect(results(model)).toMatchObject([output]);
  });

  it("runs what may not run beside others alone", async () => {
    const running: string[] = [];
    let most = 0;
    const slow = (name: string, isConcurrencySafe: boolean) =>
      defineTool({
        name,
        description: name,
        input: { type: "object" },
        isReadOnly: true,
        isConcurrencySafe,
        async call() {
          running.push(name);
          most = Math.max(
            most,
            running.filter((one) => one === "alone").length,
            running.includes("alone") ? running.length : 0,
          );
          await new Promise((done) => setTimeout(done, 5));
          running.splice(running.indexOf(name), 1);
          return "ok";
        },
      });
    const toolkit = new Toolkit({ tools: [slow("alone", false), slow("shared", true)] });
    const names = ["alone", "shared", "shared", "alone", "alone", "shared"];
    const model = modelOf(calls(...names.map((name, at): Call => [`${at}`, name, "{}"])), said("Done."));
    await generateText({ model, messages: go, ...aiSdk(toolkit), stopWhen: stepCountIs(3) });
    expect(results(model)).toHaveLength(names.length);
    expect(most).toBe(1);
  });

  it("offers the tools of a group that a call activated", async () => {
    const hidden = defineTool({
      name: "hidden",
      description: "h",
      input: { type: "object" },
      isReadOnly: true,
      call: () => "found",
    });
    const toolkit = new Toolkit({ groups: [{ name: "more", description: "More tools.", tools: [hidden] }] });
    const model = modelOf(
      calls(["1", "reset_tools", '{"more":true}']),
      calls(["2", "hidden", "{}"]),
      said("Done."),
    );
    await generateText({ model, messages: go, ...aiSdk(toolkit), stopWhen: stepCountIs(4) });
    expect(model.doGenerateCalls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ["reset_tools"],
      ["reset_tools", "hidden"],
      ["reset_tools", "hidden"],
    ]);
    expect(results(model).at(-1)).toEqual({ type: "text", value: "found" });
  });
});

describe("the SDK's approval flow", () => {
  it("asks with the reason, and runs an approved call once", async () => {
    const { toolkit, deployed } = smallToolkit();
    const { settings, request, answer } = await asked(toolkit);
    expect(request).toMatchObject({ toolCall: { toolCallId: "d1" }, reason: expect.stringMatching(/./) });
    expect(deployed).toEqual([]);
    const model = modelOf(said("Live."));
    const second = await generateText({ model, messages: answer(true), ...settings });
    expect(second.text).toBe("Live.");
    expect(results(model)).toEqual([{ type: "text", value: "web is live." }]);
    expect(deployed).toEqual(["web"]);
    const replayed = modelOf(said("Again?"));
    await generateText({ model: replayed, messages: answer(true), ...settings });
    expect(results(replayed)).toEqual([
      { type: "execution-denied", reason: expect.stringMatching(/approval/) },
    ]);
    expect(deployed).toEqual(["web"]);
  });

  it("works with signed approvals and with tools alone", async () => {
    const { toolkit, deployed } = smallToolkit();
    const { tools } = aiSdk(toolkit);
    const shared = { tools, experimental_toolApprovalSecret: "secret" };
    const first = await generateText({ model: modelOf(calls(deployCall)), messages: go, ...shared });
    const request = first.content.find((part) => part.type === "tool-approval-request");
    expect(request?.signature).toBeDefined();
    const answer = {
      type: "tool-approval-response",
      approvalId: request?.approvalId ?? "",
      approved: true,
    } as const;
    const messages: ModelMessage[] = [...go, ...first.response.messages, { role: "tool", content: [answer] }];
    await generateText({ model: modelOf(said("Live.")), messages, ...shared });
    expect(deployed).toEqual(["web"]);
  });

  it("tells the model that a person said no", async () => {
    const { toolkit, deployed } = smallToolkit();
    const { settings, answer } = await asked(toolkit);
    const model = modelOf(said("Then not."));
    await generateText({ model, messages: answer(false), ...settings });
    expect(results(model)).toMatchObject([{ type: "execution-denied" }]);
    expect(deployed).toEqual([]);
  });

  it("lets a rule that denies meanwhile win", async () => {
    const { toolkit, deployed } = smallToolkit();
    const { settings, answer } = await asked(toolkit);
    toolkit.addRules("deny:deploy");
    const model = modelOf(said("Then not."));
    await generateText({ model, messages: answer(true), ...settings });
    expect(results(model)).toEqual([{ type: "execution-denied", reason: expect.stringMatching(/deploy/) }]);
    expect(deployed).toEqual([]);
  });

  it("denies at once what a rule denies, and leaves a record", async () => {
    const audit = memoryAuditLog();
    const { toolkit, deployed } = smallToolkit({ rules: ["deny:deploy"], audit });
    const model = modelOf(calls(deployCall), said("Then not."));
    const { content } = await generateText({
      model,
      messages: go,
      ...aiSdk(toolkit),
      stopWhen: stepCountIs(3),
    });
    expect(content.filter((part) => part.type === "tool-approval-request" && !part.isAutomatic)).toEqual([]);
    expect(results(model)).toEqual([{ type: "execution-denied", reason: expect.stringMatching(/deploy/) }]);
    expect(audit.records.filter(({ event }) => event === "decided")).toMatchObject([
      { callId: "d1", tool: "deploy", decision: "deny" },
    ]);
    expect(deployed).toEqual([]);
  });

  it("asks nobody when a rule allows meanwhile", async () => {
    const { toolkit, deployed } = smallToolkit({ rules: ["allow:deploy"] });
    const model = modelOf(calls(deployCall), said("Live."));
    await generateText({ model, messages: go, ...aiSdk(toolkit), stopWhen: stepCountIs(3) });
    expect(deployed).toEqual(["web"]);
  });

  it.each<[string, AiSdkOptions, string[]]>([
    ["doesn't take a yes to what it never asked", {}, []],
    ["takes it from the conversation when told so", { approvals: "in-messages" }, ["web"]],
  ])("%s", async (_title, options, expected) => {
    const { answer } = await asked(smallToolkit().toolkit);
    const { toolkit, deployed } = smallToolkit();
    await generateText({ model: modelOf(said("ok")), messages: answer(true), ...aiSdk(toolkit, options) });
    expect(deployed).toEqual(expected);
  });

  it("doesn't run another input than the approved one", async () => {
    const { toolkit, deployed } = smallToolkit();
    const { settings, answer } = await asked(toolkit);
    const forged: ModelMessage[] = JSON.parse(JSON.stringify(answer(true)).replaceAll('"web"', '"bank"'));
    await generateText({ model: modelOf(said("ok")), messages: forged, ...settings });
    expect(deployed).toEqual([]);
  });

  it("refuses what somebody else's setting waved through", async () => {
    const { toolkit, deployed } = smallToolkit();
    const { tools } = aiSdk(toolkit);
    const model = modelOf(calls(deployCall), said("ok"));
    await generateText({
      model,
      messages: go,
      tools,
      toolApproval: { deploy: "approved" },
      stopWhen: stepCountIs(3),
    });
    expect(results(model)).toEqual([{ type: "execution-denied", reason: expect.stringMatching(/approval/) }]);
    expect(deployed).toEqual([]);
  });

  it("leaves the question to the toolkit's approver where there is one", async () => {
    const { toolkit, deployed } = smallToolkit({ approver: () => ({ approved: true, by: "ann" }) });
    const model = modelOf(calls(deployCall), said("Live."));
    await generateText({ model, messages: go, ...aiSdk(toolkit), stopWhen: stepCountIs(3) });
    expect(deployed).toEqual(["web"]);
  });
});

describe("the SDK's approval flow with a store", () => {
  const open = (store: Store, options: ToolkitOptions = {}) =>
    smallToolkit({ store, state: newState({ cwd: process.cwd(), sessionId: "s1" }), ...options });
  const goOn = async (toolkit: Toolkit, messages: ModelMessage[]): Promise<unknown[]> => {
    const model = modelOf(said("ok"));
    await generateText({ model, messages, ...aiSdk(toolkit) });
    return results(model);
  };

  it("runs an approved call once, in whatever process, and gives its result again", async () => {
    await using store = memoryStore();
    const first = open(store);
    const { answer } = await asked(first.toolkit);
    const pending = await store.approvals({ sessionId: "s1", status: "pending" });
    expect(pending.items).toMatchObject([{ callId: "d1", toolName: "deploy", input: { service: "web" } }]);
    const second = open(store);
    const live = [{ type: "text", value: "web is live." }];
    expect(await goOn(second.toolkit, answer(true))).toEqual(live);
    expect(await goOn(open(store).toolkit, answer(true))).toEqual(live);
    expect([first.deployed, second.deployed]).toEqual([[], ["web"]]);
    expect((await store.approvals({ sessionId: "s1" })).items).toMatchObject([
      { status: "consumed", answer: { by: "ai-sdk" } },
    ]);
  });

  it("doesn't take a yes to what was never asked, nor to another input", async () => {
    await using store = memoryStore();
    const { answer } = await asked(smallToolkit().toolkit);
    const never = open(store);
    expect(await goOn(never.toolkit, answer(true))).toMatchObject([{ type: "execution-denied" }]);
    expect(await goOn(never.toolkit, answer(true))).toMatchObject([{ type: "execution-denied" }]);
    await using other = memoryStore();
    const { answer: yes } = await asked(open(other).toolkit);
    const forged: ModelMessage[] = JSON.parse(JSON.stringify(yes(true)).replaceAll('"web"', '"bank"'));
    const late = open(other);
    expect(await goOn(late.toolkit, forged)).toMatchObject([{ type: "execution-denied" }]);
    expect(await goOn(late.toolkit, forged)).toMatchObject([{ type: "execution-denied" }]);
    expect([never.deployed, late.deployed]).toEqual([[], []]);
  });

  it("lets an answer that was given elsewhere count, and a rule that denies meanwhile win", async () => {
    await using store = memoryStore();
    const { answer } = await asked(open(store).toolkit);
    const [question] = (await store.approvals({ status: "pending" })).items;
    await store.answer(question?.id ?? "", { approved: false, by: "ann", feedback: "Not on a Friday." });
    const { toolkit, deployed } = open(store);
    expect(await goOn(toolkit, answer(true))).toEqual([
      { type: "execution-denied", reason: expect.stringMatching(/Friday/) },
    ]);
    await using other = memoryStore();
    const { answer: yes } = await asked(open(other).toolkit);
    const denying = open(other, { rules: ["deny:deploy"] });
    expect(await goOn(denying.toolkit, yes(true))).toMatchObject([{ type: "execution-denied" }]);
    expect([deployed, denying.deployed]).toEqual([[], []]);
  });
});

type Part =
  Extract<
    Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"],
    ReadableStream<unknown>
  > extends ReadableStream<infer P>
    ? P
    : never;

const streamOf = (...parts: Part[]) => ({
  stream: convertArrayToReadableStream<Part>([{ type: "stream-start", warnings: [] }, ...parts]),
});
const finish = (unified: "stop" | "tool-calls"): Part => ({
  type: "finish",
  finishReason: { unified, raw: undefined },
  usage,
});

describe("a toolkit in streamText", () => {
  it("shows how a call goes on, then its result", async () => {
    const { toolkit } = smallToolkit();
    const model = new MockLanguageModelV4({
      doStream: [
        streamOf(
          { type: "tool-call", toolCallId: "c", toolName: "count", input: "{}" },
          finish("tool-calls"),
        ),
        streamOf(
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "Done." },
          { type: "text-end", id: "t" },
          finish("stop"),
        ),
      ],
    });
    const finished: string[] = [];
    const { fullStream } = streamText({
      model,
      messages: go,
      ...aiSdk(toolkit, { previewMs: 0 }),
      stopWhen: stepCountIs(3),
      onFinish: ({ text }) => void finished.push(text),
    });
    const shown: CallOutput[] = [];
    for await (const part of fullStream)
      if (part.type === "tool-result") shown.push(part.output as CallOutput);
    const texts = shown.map(({ state, content }) => [
      state,
      content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    ]);
    expect(texts).toContainEqual(["running", "one "]);
    expect(texts).toContainEqual(["running", "one two "]);
    expect(texts.at(-1)).toEqual(["success", "one two three"]);
    expect(shown[0]?.progress).toEqual({ message: "counting", done: 1, total: 2 });
    expect(finished).toEqual(["Done."]);
  });

  it("runs an approved call in a stream", async () => {
    const { toolkit, deployed } = smallToolkit();
    const { settings, answer } = await asked(toolkit);
    const model = new MockLanguageModelV4({ doStream: [streamOf(finish("stop"))] });
    const result = streamText({ model, messages: answer(true), ...settings, onFinish: () => undefined });
    await result.consumeStream();
    expect(deployed).toEqual(["web"]);
  });

  it("stops with its signal", async () => {
    const { toolkit } = smallToolkit();
    const events: GateEvent[] = [];
    toolkit.watch(() => ({ event: (event) => void events.push(event) }));
    const stop = new AbortController();
    const model = new MockLanguageModelV4({
      doStream: [
        streamOf(
          { type: "tool-call", toolCallId: "c", toolName: "count", input: "{}" },
          finish("tool-calls"),
        ),
      ],
    });
    const { fullStream } = streamText({
      model,
      messages: go,
      ...aiSdk(toolkit, { previewMs: 0 }),
      abortSignal: stop.signal,
    });
    for await (const part of fullStream) if (part.type === "tool-result") stop.abort();
    await expect.poll(() => events.at(-1)).toMatchObject({ type: "TOOL_RESULT_END", state: "interrupted" });
  });
});

describe("what a model is shown of an output", () => {
  it.each<[string, unknown, unknown]>([
    ["nothing", undefined, { type: "text", value: "(no output)" }],
    [
      "what a client made up",
      {
        state: "success",
        content: [{ type: "data", source: { url: "x", mediaType: "y" } }, 3, { type: "text" }],
      },
      { type: "text", value: "(no output)" },
    ],
    [
      "a refusal without text",
      { state: "denied", content: [] },
      { type: "execution-denied", reason: "It was refused." },
    ],
  ])("takes %s", (_title, output, expected) => {
    expect(modelOutput(output as Partial<CallOutput>)).toEqual(expected);
  });
});

describe("the SDK's tools in a toolkit", () => {
  const tools: ToolSet = {
    weather: tool({
      description: "Weather.",
      inputSchema: z.object({ city: z.string().min(2), unit: z.enum(["c", "f"]).default("c") }),
      execute: ({ city, unit }) => `22${unit} in ${city}`,
    }),
    risky: tool({
      inputSchema: z.object({}),
      needsApproval: true,
      execute: () => ({ done: true }),
    }),
    streaming: tool({
      inputSchema: z.object({}),
      execute: async function* () {
        yield "half";
        yield "whole";
      },
    }),
    picture: tool({
      inputSchema: z.object({}),
      execute: () => PIXEL,
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: String(output) } }],
      }),
    }),
    elsewhere: tool({ inputSchema: z.object({}), outputSchema: z.string() }),
  };
  const readOnly = ["weather", "risky", "streaming", "picture"];

  it("keeps names, descriptions and schemas", async () => {
    const [weather, ...rest] = await toolsFromAiSdk(tools);
    expect(weather).toMatchObject({
      name: "weather",
      description: "Weather.",
      inputSchema: { type: "object", properties: { city: { type: "string", minLength: 2 } } },
      isReadOnly: false,
    });
    expect(rest.map(({ name, isExternalTool }) => [name, isExternalTool])).toEqual([
      ["risky", false],
      ["streaming", false],
      ["picture", false],
      ["elsewhere", true],
    ]);
  });

  it.each<[string, string, string, object]>([
    [
      "runs with the schema's defaults",
      "weather",
      '{"city":"Rome"}',
      { state: "success", text: "22c in Rome" },
    ],
    [
      "checks with the schema",
      "weather",
      '{"city":"R"}',
      { state: "error", text: expect.stringMatching(/city/) },
    ],
    ["takes a stream's last value", "streaming", "{}", { state: "success", text: "whole" }],
    ["asks where the tool asks", "risky", "{}", { state: "denied", text: expect.stringMatching(/approval/) }],
    ["leaves it where it is", "elsewhere", "{}", { state: "denied" }],
    [
      "takes images",
      "picture",
      "{}",
      { content: [{ type: "data", source: { type: "base64", data: PIXEL, mediaType: "image/png" } }] },
    ],
  ])("%s", async (_title, name, input, expected) => {
    const toolkit = new Toolkit({ tools: await toolsFromAiSdk(tools, { readOnly }) });
    expect(await toolkit.execute(name, input)).toMatchObject(expected);
  });

  it("asks about what isn't named as changing nothing", async () => {
    const toolkit = new Toolkit({ tools: await toolsFromAiSdk(tools) });
    expect(await toolkit.judge("weather", '{"city":"Rome"}')).toMatchObject({ behavior: "ask" });
  });

  it("goes round: into a toolkit and out again", async () => {
    const toolkit = new Toolkit({ tools: await toolsFromAiSdk(tools, { readOnly }) });
    const model = modelOf(calls(["1", "weather", '{"city":"Rome"}']), said("Warm."));
    await generateText({ model, messages: go, ...aiSdk(toolkit), stopWhen: stepCountIs(3) });
    expect(results(model)).toEqual([{ type: "text", value: "22c in Rome" }]);
  });
});
