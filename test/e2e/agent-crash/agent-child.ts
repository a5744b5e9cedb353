// An agent in a process that is killed at any moment, and goes on wherever its session stands when it is started again. It answers
// its own questions, as a person would. Arguments: folder, address of the model.
import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, type AgentInput } from "../../../src/agent/agent-entry.ts";
import { defineTool, openSession, sqliteStore, type Tool, Toolkit } from "../../../src/index.ts";

const [folder = "", url = ""] = process.argv.slice(2);

function marking(name: string): Tool {
  return defineTool({
    name,
    description: "Leaves a mark.",
    input: { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] },
    call: ({ mark }) => {
      appendFileSync(join(folder, mark), "x");
      return `${mark} is marked`;
    },
  });
}

const store = sqliteStore({ path: join(folder, "state.db") });
const session = await openSession(store, { sessionId: "s", cwd: folder });
const toolkit = new Toolkit({
  tools: [marking("free"), marking("asked")],
  rules: ["allow:free"],
  store,
  state: session.state,
});
const model = createOpenAICompatible({ name: "local", baseURL: url })("scripted");
const agent = new Agent({ model, toolkit, session });

const { messages, reply } = agent.state;
const isOver = reply === undefined && messages.at(-1)?.role === "assistant";
let input: AgentInput | undefined = messages.length === 0 ? "Go" : undefined;
while (!isOver) {
  const stream = agent.replyStream(input);
  let next = await stream.next();
  while (next.done !== true) {
    writeSync(1, `${next.value.type}\n`);
    next = await stream.next();
  }
  const { reason, waiting, error } = next.value;
  if (reason !== "parked") {
    writeSync(1, `ENDED ${reason} ${error?.message ?? ""}\n`);
    break;
  }
  const results = waiting.map(({ callId }) => ({ callId, confirmed: true }));
  input = { type: "USER_CONFIRM_RESULT", results };
}
if (isOver) writeSync(1, "ENDED before\n");
await store[Symbol.asyncDispose]();
