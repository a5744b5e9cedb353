// Stands for an agent: makes a session's calls one after the other, saves after each, and goes on wherever the session stands when it
// is started again. Killed at any moment. Arguments: folder, number of calls.
import { appendFileSync, mkdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  Bash,
  defineTool,
  type GateEvent,
  openSession,
  sqliteStore,
  type Tool,
  type ToolCall,
  Toolkit,
} from "../../../src/index.ts";

const [folder = "", count = "0"] = process.argv.slice(2);
const effects = join(folder, "effects");
mkdirSync(effects, { recursive: true });

function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Does its work in the middle of its time, in this process; every work leaves one more character. */
function marking(name: string): Tool {
  return defineTool({
    name,
    description: "Leaves a mark.",
    input: { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] },
    async call({ mark }) {
      await delay(15);
      appendFileSync(join(effects, String(mark)), "x");
      await delay(15);
      return "worked";
    },
  });
}

const [work, free] = [marking("work"), marking("free")];

/** A third runs at once, a third is asked about, a third is asked about and runs in a process of its own. */
function callOf(at: number): ToolCall {
  const id = `c${at}`;
  if (at % 3 === 0) return { id, name: "Bash", input: { command: `sleep 0.05; printf x >> effects/${id}` } };
  return { id, name: at % 3 === 1 ? "free" : "work", input: { mark: id } };
}

await using store = sqliteStore({ path: join(folder, "state.db") });
const session = await openSession(store, { sessionId: "s1", cwd: folder });
const { state } = session;
await using toolkit = new Toolkit({
  tools: [work, free, new Bash()],
  store,
  state,
  cwd: folder,
  rules: ["allow:free"],
});
const results = new Map(Object.entries(state.extra));

/** What is saved of a call's end. */
async function note({ id }: ToolCall, events: AsyncIterable<GateEvent>): Promise<void> {
  for await (const event of events) {
    say({ event: event.type });
    if (event.type === "TOOL_CALL_PARKED") say({ parked: event.approvalId, call: id });
    if (event.type !== "TOOL_RESULT_END") continue;
    const { state: how, metadata } = event.response;
    const outcome = String(metadata.code ?? how);
    results.set(id, outcome);
    state.extra = { ...state.extra, [id]: outcome };
    await session.save();
    say({ ended: outcome, call: id });
  }
}

await session.save();
const calls = Array.from({ length: Number(count) }, (_, at) => callOf(at));
for (;;) {
  const open = calls.filter(({ id }) => !results.has(id));
  if (open.length === 0) break;
  for (const call of open) await note(call, toolkit.resumeCall(call));
  await delay(10);
}
say({ done: true });
