/**
 * An assistant with its whole tool set: it reads a page, remembers, searches files, takes a picture and sends it to the console's chat.
 *
 *   npm install @ai-sdk/openai-compatible playwright-core
 *   export MODEL_URL=http://localhost:11434/v1 MODEL=qwen3
 *   node examples/assistant.ts "Look at https://example.com, note what it is for, and send me a picture of it."
 *
 * `REACH=localhost:8080` lets it reach a place that isn't public. In a project of yours, import from "toolgate" and "toolgate/agent" instead.
 */
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "../src/agent/agent-entry.ts";
import {
  Channels,
  CONSOLE_DESTINATION,
  ConsoleChannel,
  ConsoleHistory,
  Memory,
  registerAllTools,
  Screenshot,
  setChannelTarget,
  Toolkit,
  WebFetch,
} from "../src/index.ts";

const { MODEL_URL = "", MODEL = "", REACH } = process.env;
const workspace = process.cwd();
const allow = REACH === undefined ? [] : [REACH];

// The chat that files go to. Its history is what a console shows.
await using channels = new Channels({ onMessage: () => undefined });
const history = new ConsoleHistory(join(workspace, ".toolgate", "console"));
channels.add(new ConsoleChannel(history), { allowFrom: ["console"] });
channels.start();

// Pages and notes need no question here; whatever else would change something does.
await using toolkit = new Toolkit({
  cwd: workspace,
  rules: ["allow:web_fetch", "allow:screenshot", "allow:memory", "allow:Edit(temp/screenshots/**)"],
});
await registerAllTools(toolkit, {
  channels,
  web: () => new WebFetch({ allow }),
  screenshot: () => new Screenshot({ allow }),
  memory: () => new Memory({ source: "console" }),
});
setChannelTarget(toolkit.state, { channel: "console", account: "default", to: CONSOLE_DESTINATION });

const model = createOpenAICompatible({ name: "local", baseURL: MODEL_URL })(MODEL);
const agent = new Agent({
  model,
  toolkit,
  system: "You help the person at the console. Send files with send_media.",
});
for await (const event of agent.replyStream(process.argv.slice(2).join(" "))) {
  if (event.type === "TEXT_BLOCK_DELTA") process.stdout.write(event.delta);
  if (event.type === "TOOL_CALL_END") console.log(`\n→ ${event.toolName} ${event.input}`);
  if (event.type === "TOOL_RESULT_END") console.log(`← ${event.state}`);
}
console.log();
