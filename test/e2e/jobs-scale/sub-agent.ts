import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";
import { Agent } from "../../../src/agent/agent-entry.ts";
import { defineTool, openSession, type Store, Toolkit, Write } from "../../../src/index.ts";
import { random as randomBelow } from "./random.ts";

/** How long the scripted model thinks. Milliseconds at most. */
const THINKS_MS = 20;

/** What was done, in files of the trial's folder: one line each. */
export const FILES = { effects: "effects.log", turns: "turns.log" } as const;

/**
 * A sub-agent as any other: it writes its file, leaves its mark in the list of effects, and says so; `unknown` when it was told that
 * nobody knows whether one of its calls did its work.
 */
export async function subAgent(store: Store, folder: string, sessionId: string): Promise<Opened> {
  const session = await openSession(store, { sessionId, cwd: folder });
  const toolkit = new Toolkit({
    tools: [new Write(), marking(folder)],
    store,
    state: session.state,
    mode: "acceptEdits",
    rules: ["allow:leave_mark"],
    cwd: folder,
  });
  const agent = new Agent({ model: scripted(folder), toolkit, session });
  return { agent, [Symbol.asyncDispose]: () => toolkit[Symbol.asyncDispose]() };
}

/** An agent with what is to be let go with it. */
export interface Opened extends AsyncDisposable {
  readonly agent: Agent;
}

function marking(folder: string) {
  return defineTool({
    name: "leave_mark",
    description: "Leaves a mark.",
    input: { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] },
    call: ({ mark }) => {
      appendFileSync(join(folder, FILES.effects), `${mark}\n`);
      return "The mark is left.";
    },
  });
}

/** Answers by what the conversation has come to. */
function scripted(folder: string): LanguageModelV4 {
  return new MockLanguageModelV4({
    provider: "scripted",
    modelId: "scripted",
    async doStream({ prompt }) {
      const mark = markOf(prompt);
      const results = prompt.flatMap(({ role, content }) => (role === "tool" ? content : []));
      appendFileSync(join(folder, FILES.turns), `${mark} ${results.length}\n`);
      await new Promise((done) => setTimeout(done, randomBelow(THINKS_MS)));
      if (results.length === 0) {
        return answer(call("Write", { file_path: join(folder, `${mark}.txt`), content: `${mark}\n` }));
      }
      if (results.length === 1) return answer(call("leave_mark", { mark }));
      const isKnown = !JSON.stringify(results).includes("is not known");
      return answer(text(isKnown ? `done ${mark}` : `unknown ${mark}`));
    },
  });
}

function markOf(prompt: LanguageModelV4CallOptions["prompt"]): string {
  const [asked] = prompt.flatMap(({ role, content }) => (role === "user" ? content : []));
  return asked?.type === "text" ? asked.text : "";
}

function call(toolName: string, input: unknown): LanguageModelV4StreamPart {
  return { type: "tool-call", toolCallId: crypto.randomUUID(), toolName, input: JSON.stringify(input) };
}

function text(delta: string): readonly LanguageModelV4StreamPart[] {
  return [
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta },
    { type: "text-end", id: "0" },
  ];
}

function answer(given: LanguageModelV4StreamPart | readonly LanguageModelV4StreamPart[]) {
  const parts = Array.isArray(given) ? given : [given];
  const isCall = parts.some(({ type }) => type === "tool-call");
  const end: LanguageModelV4StreamPart = {
    type: "finish",
    finishReason: { unified: isCall ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
  };
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const part of [{ type: "stream-start", warnings: [] } as const, ...parts, end])
        controller.enqueue(part);
      controller.close();
    },
  });
  return { stream };
}
