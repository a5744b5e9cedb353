/**
 * A tool that a person carries out. The program that asks may end; another one, hours later, hands in the answer and goes on.
 *
 *   export MODEL_URL=http://localhost:11434/v1 MODEL=qwen3
 *   node examples/human-approval.ts ask "Delete the customer Miller"
 *   node examples/human-approval.ts show
 *   node examples/human-approval.ts answer "Approved, but keep the invoices."
 *
 * In a project of yours, import from "toolgate" and "toolgate/agent" instead.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, type AgentInput } from "../src/agent/agent-entry.ts";
import {
  type JsonSchema,
  openSession,
  type PermissionDecision,
  sqliteStore,
  ToolBase,
  Toolkit,
} from "../src/index.ts";

class HumanApproval extends ToolBase {
  readonly name = "HumanApproval";
  readonly description: string = "Request human approval for a sensitive operation.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      action: { type: "string", description: "The action requiring approval." },
      reason: { type: "string", description: "Why this action needs approval." },
    },
    required: ["action", "reason"],
  };
  override readonly isConcurrencySafe = true;
  override readonly isExternalTool = true;

  override checkPermissions(): PermissionDecision {
    return { behavior: "allow", message: "Asking a person is always allowed." };
  }
}

const { MODEL_URL = "", MODEL = "", STATE_FILE = "human-approval.db" } = process.env;
const [command = "show", ...words] = process.argv.slice(2);
const text = words.join(" ");

await using store = sqliteStore({ path: STATE_FILE });
const session = await openSession(store, { sessionId: "example", cwd: process.cwd() });
await using toolkit = new Toolkit({ tools: [new HumanApproval()], store, state: session.state });
const model = createOpenAICompatible({ name: "local", baseURL: MODEL_URL })(MODEL);
const agent = new Agent({
  model,
  toolkit,
  session,
  system: "Before you do anything that can't be undone, ask with HumanApproval.",
});

if (command === "show") showWaiting();
else await reply(inputOf(command));

function inputOf(given: string): AgentInput {
  if (given === "ask") return text;
  const results = session.state.parked.map(({ callId }) => ({ callId, content: text }));
  return { type: "EXTERNAL_EXECUTION_RESULT", results };
}

async function reply(input: AgentInput): Promise<void> {
  const { reason, text: said, error } = await agent.reply(input);
  if (said !== "") console.log(said);
  if (error !== undefined) console.log(`It failed: ${error.message}`);
  if (reason === "parked") showWaiting();
}

function showWaiting(): void {
  for (const { input } of session.state.parked) console.log(`Waiting: ${input.action} (${input.reason})`);
  if (session.state.parked.length === 0) console.log("Nothing waits.");
}
