import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelServer, type SeenRequest } from "../../test/model-server.ts";
import { type MemoryBackend, memoryBackend } from "../backends/memory.ts";
import { isPleasantry } from "../memory/pleasantries.ts";
import type { Message } from "../message.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { Agent } from "./agent.ts";
import { type MemorySummariesOptions, memorySummaries } from "./memory-summaries.ts";

let backend: MemoryBackend;
let toolkit: Toolkit;
let server: ModelServer;
const errors: unknown[] = [];

beforeEach(async () => {
  backend = memoryBackend({ cwd: "/work" });
  toolkit = new Toolkit({ backend });
  errors.length = 0;
  server = await ModelServer.start();
});
afterEach(() => server[Symbol.asyncDispose]());

const isSummary = ({ messages }: SeenRequest): boolean =>
  String(messages[0]?.content).includes("long-term memory");
const summaryRequests = (): readonly SeenRequest[] => server.requests.filter(isSummary);
const material = (request: SeenRequest | undefined): string => {
  const content = request?.messages[1]?.content;
  return typeof content === "string" ? content : JSON.stringify(content);
};

/** An agent that says "Noted." and whose summaries are the given ones, one after the other. */
async function agentWith(
  summaries: readonly string[],
  options: Partial<MemorySummariesOptions> = {},
): Promise<Agent> {
  await server[Symbol.asyncDispose]();
  let at = 0;
  server = await ModelServer.answering((request) => {
    return { text: isSummary(request) ? (summaries[at++] ?? "NOTHING TO RECORD") : "Noted." };
  });
  const model = server.model();
  const middlewares = [
    memorySummaries({
      toolkit,
      model,
      indexDirectory: false,
      onError: (error) => errors.push(error),
      ...options,
    }),
  ];
  return new Agent({ model, toolkit, middlewares });
}

/** A conversation of the past: each text is one message, of the user and the assistant in turn. */
function past(...texts: readonly string[]): void {
  const messages = texts.map((text, at): Message => {
    const base = { id: crypto.randomUUID(), createdAt: new Date(at).toISOString() };
    const content = [{ type: "text" as const, id: "t", text }];
    return at % 2 === 0 ? { ...base, role: "user", content } : { ...base, role: "assistant", content };
  });
  toolkit.state.messages.push(...messages);
}

const numbered = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `fact number ${from + at} of the talk`);

async function memoryText(): Promise<string> {
  try {
    return Buffer.from(await backend.readFile("/work/memory/MEMORY.md")).toString("utf8");
  } catch {
    return "";
  }
}

describe("summaries of a conversation", () => {
  it("are made after thirty messages, and then only of what is new", async () => {
    const agent = await agentWith(["likes tea；lives in Bern", "- moved to Basel\n- has a cat"]);
    past(...numbered(0, 26));
    await agent.reply("message 27");
    expect(await memoryText()).toBe("");
    await agent.reply("message 29");
    expect(await memoryText()).toMatch(/^\d{4}-\d{2}-\d{2}\|auto-summary\|likes tea；lives in Bern\n$/);
    expect(summaryRequests()).toHaveLength(1);
    expect(material(summaryRequests()[0])).toContain("User: fact number 0 of the talk");
    past(...numbered(100, 28));
    await agent.reply("message 59");
    expect(await memoryText()).toContain("|auto-summary|moved to Basel；has a cat\n");
    const second = material(summaryRequests()[1]);
    expect(second).toContain("fact number 100 of the talk");
    expect(second).not.toContain("fact number 0 of");
    expect(second).not.toContain("message 29");
    expect(errors).toEqual([]);
  });

  it("are made of long conversations of few messages, each part once, in requests of bounded size", async () => {
    const long = Array.from({ length: 20 }, (_, at) => `part ${at}: ${"words and ".repeat(100)}`);
    const agent = await agentWith([], { everyMessages: 5 });
    past(...long);
    await agent.reply("go on");
    const requests = summaryRequests().map(material);
    expect(requests.length).toBeGreaterThan(1);
    for (const text of requests) expect(text.length).toBeLessThan(4200);
    for (let at = 0; at < 15; at += 1) {
      expect(requests.filter((text) => text.includes(`part ${at}: `))).toHaveLength(1);
    }
  });

  it("have the agreed temperature, and no tools", async () => {
    const agent = await agentWith([], { everyMessages: 2 });
    await agent.reply("I like tea");
    expect(summaryRequests()[0]).toMatchObject({ temperature: 0.3 });
    expect(summaryRequests()[0]?.tools).toBeUndefined();
  });

  it.each([
    "NOTHING TO RECORD",
    "Nothing to record.",
    '"NOTHING TO RECORD"',
    "**nothing to record**",
    "",
    "…",
  ])("leave the memory alone when the answer is %j", async (answer) => {
    const agent = await agentWith([answer], { everyMessages: 2 });
    await agent.reply("I like tea");
    expect(summaryRequests()).toHaveLength(1);
    expect(await memoryText()).toBe("");
    expect(errors).toEqual([]);
  });

  it("keep what only mentions the phrase, and no secrets", async () => {
    const agent = await agentWith(["found nothing to record music with；password=hunter2"], {
      everyMessages: 2,
    });
    await agent.reply("I like tea");
    expect(await memoryText()).toMatch(/\|found nothing to record music with；password=\[redacted\]\n$/);
  });

  it("aren't made of a part twice, in another process either", async () => {
    const agent = await agentWith(["one"], { everyMessages: 4 });
    past(...numbered(0, 3));
    await agent.reply("I like tea");
    expect(summaryRequests()).toHaveLength(1);
    const saved = JSON.parse(JSON.stringify(toolkit.state));
    toolkit = new Toolkit({ backend, state: saved });
    const other = await agentWith(["two"], { everyMessages: 4 });
    await other.reply("And coffee");
    expect(summaryRequests()).toHaveLength(0);
    await other.reply("And juice");
    expect(material(summaryRequests()[0])).not.toContain("fact number");
  });
});

describe("what falls out of a bounded history", () => {
  it("is summarised once, and the model is shown no more than that", async () => {
    const agent = await agentWith(["early things"], { maxHistoryMessages: 6 });
    past(...numbered(0, 12));
    await agent.reply("Now");
    const shown = server.requests.find((request) => !isSummary(request))?.messages ?? [];
    expect(shown.filter(({ role }) => role !== "system").length).toBeLessThanOrEqual(6);
    expect(JSON.stringify(shown)).not.toContain("fact number 3");
    expect(JSON.stringify(shown)).toContain("Now");
    expect(await memoryText()).toContain("|auto-overflow|early things\n");
    expect(material(summaryRequests()[0])).toContain("fact number 7");
    expect(material(summaryRequests()[0])).not.toContain("fact number 8");
    await agent.reply("Again");
    expect(summaryRequests()).toHaveLength(1);
    await agent.reply("And again");
    expect(material(summaryRequests()[1])).toContain("fact number 8");
    expect(material(summaryRequests()[1])).not.toContain("fact number 7");
  });

  it("is nothing unless a limit is set", async () => {
    const agent = await agentWith([]);
    past(...numbered(0, 12));
    await agent.reply("Now");
    expect(summaryRequests()).toHaveLength(0);
    expect(JSON.stringify(server.requests[0]?.messages)).toContain("fact number 0");
  });
});

describe("a reply", () => {
  it("doesn't fail because a summary does, which is tried again", async () => {
    await server[Symbol.asyncDispose]();
    let isDown = true;
    server = await ModelServer.answering((request) => {
      if (!isSummary(request)) return { text: "Noted." };
      return isDown ? { status: 500 } : { text: "likes tea" };
    });
    const model = server.model();
    const onError = (error: unknown): void => void errors.push(error);
    const middlewares = [
      memorySummaries({ toolkit, model, indexDirectory: false, everyMessages: 2, onError }),
    ];
    const agent = new Agent({ model, toolkit, middlewares });
    expect(await agent.reply("I like tea")).toMatchObject({ reason: "completed", text: "Noted." });
    expect(errors).toHaveLength(1);
    isDown = false;
    await agent.reply("I like coffee");
    expect(await memoryText()).toContain("|likes tea\n");
    expect(material(summaryRequests().at(-1))).toContain("I like tea");
  });

  it("doesn't fail because the memory can't be written", async () => {
    await backend.mkdir("/work/memory/MEMORY.md");
    const agent = await agentWith(["likes tea"], { everyMessages: 2 });
    expect((await agent.reply("I like tea")).reason).toBe("completed");
    expect(errors).toHaveLength(1);
  });

  it("isn't held up by a summary for ever", async () => {
    await server[Symbol.asyncDispose]();
    server = await ModelServer.answering((request) =>
      isSummary(request) ? { text: "lik", hang: true } : { text: "Noted." },
    );
    const model = server.model();
    const onError = (error: unknown): void => void errors.push(error);
    const options = {
      toolkit,
      model,
      indexDirectory: false,
      everyMessages: 2,
      timeoutMs: 100,
      onError,
    } as const;
    const agent = new Agent({ model, toolkit, middlewares: [memorySummaries(options)] });
    expect((await agent.reply("I like tea")).reason).toBe("completed");
    expect(errors).toHaveLength(1);
    expect(await memoryText()).toBe("");
  });
});

describe("pleasantries", () => {
  it.each([
    "Hi!",
    "thank you very much.",
    "OK 👍",
    "你好！",
    "好的，谢谢",
    "👍",
    "…",
    "Good  Morning",
    "You're welcome",
  ])("%j is one", (text) => expect(isPleasantry(text)).toBe(true));
  it.each([
    "no bugs",
    "fine, ship it",
    "hi, my name is Ann",
    "ok go",
    "no",
    "yes",
    "好的我叫安娜",
    "你好吗我姓王",
    "thanks to you I moved",
  ])("%j is news", (text) => expect(isPleasantry(text)).toBe(false));

  it("are left out of what is summarised, and only they", async () => {
    const agent = await agentWith([], { everyMessages: 6 });
    past("Hi!", "你好", "no bugs", "fine weather today");
    await agent.reply("thanks");
    expect(material(summaryRequests()[0])).toBe(
      "<conversation>\nUser: no bugs\nAssistant: fine weather today\nAssistant: Noted.\n</conversation>",
    );
  });
});
