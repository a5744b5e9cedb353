import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { Agent } from "../src/agent/agent.ts";
import { defineTool } from "../src/define-tool.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { measure } from "./measure.ts";
import { atMost, type Row, within } from "./table.ts";

const INPUT = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls a tool so many times, one call in a turn, and then says that it is done. */
function caller(turns: number): LanguageModelV4 {
  let turn = 0;
  const parts = (): LanguageModelV4StreamPart[] => {
    turn += 1;
    const isLast = turn % (turns + 1) === 0;
    const said: LanguageModelV4StreamPart[] = isLast
      ? [{ type: "text-delta", id: "t", delta: "Done." }]
      : [{ type: "tool-call", toolCallId: `c${turn}`, toolName: "add", input: `{"n":${turn}}` }];
    const finishReason = { unified: isLast ? "stop" : "tool-calls", raw: undefined } as const;
    return [...said, { type: "finish", usage: USAGE, finishReason }];
  };
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "bench",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("only streams")),
    doStream: async () => ({ stream: ReadableStream.from(parts()) }),
  };
}

const TURNS = 20;

/** What the loop costs for one call: a turn of a model that answers at once, and the call itself. */
export async function rows(): Promise<Row[]> {
  const add = defineTool({
    name: "add",
    description: "",
    input: INPUT,
    isReadOnly: true,
    call: ({ n }) => `${n + 1}`,
  });
  const model = caller(TURNS);
  const bare = new Toolkit({ tools: [add], cwd: process.cwd() });
  const [loop, call, stream] = await measure(
    [
      {
        name: "loop",
        async run(times) {
          for (let at = 0; at < times; at++) {
            const toolkit = new Toolkit({ tools: [add], cwd: process.cwd() });
            await new Agent({ model, toolkit, maxIterations: TURNS + 1 }).reply("Go");
          }
        },
      },
      {
        name: "call",
        async run(times) {
          for (let at = 0; at < times * TURNS; at++) await bare.execute("add", '{"n":1}');
        },
      },
      {
        name: "stream",
        async run(times) {
          for (let at = 0; at < times * TURNS; at++) {
            const { stream } = await caller(1).doStream({ prompt: [] });
            for await (const _part of stream) void _part;
          }
        },
      },
    ],
    { times: 100, rounds: 7 },
  );
  const perTurn = (us: number | undefined): number => (us ?? Number.NaN) / TURNS;
  return [
    within("agent loop: one turn with one call", perTurn(loop?.us), 500),
    atMost("the same", perTurn(loop?.us), perTurn(stream?.us), "reading the model's stream alone"),
    atMost("the same", perTurn(loop?.us), perTurn(call?.us), "the call alone"),
  ];
}
