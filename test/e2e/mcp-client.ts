import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Playground, PROGRAM } from "./toolgate.ts";

/** The two generations of the protocol that clients speak. */
export const ERAS = ["legacy", "auto"] as const;

/** How a client behaves. */
export interface ClientOptions {
  readonly era?: (typeof ERAS)[number];
  /** Gives the answer to a question; without it the client can't ask anybody. */
  readonly answer?: (question: Question) => object;
  /** Hands questions of the newer protocol out as they come, for a client that plays foul. */
  readonly manual?: boolean;
  /** Hears that there are other tools. */
  readonly toolsChanged?: () => void;
}

/** What the person at the client is shown. */
export interface Question {
  readonly message: string;
  /** What can be chosen. */
  readonly choices: readonly string[];
}

function clientOf({ era = "legacy", answer, manual = false, toolsChanged }: ClientOptions): Client {
  const client = new Client(
    { name: "tester", version: "1" },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      ...(manual ? { inputRequired: { autoFulfill: false } } : {}),
      versionNegotiation: { mode: era },
      ...(toolsChanged === undefined
        ? {}
        : { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: toolsChanged } } }),
    },
  );
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const schema = JSON.parse(JSON.stringify("requestedSchema" in params ? params.requestedSchema : {}));
      return {
        action: "accept",
        ...answer({ message: params.message, choices: schema.properties.answer.enum }),
      };
    });
  }
  return client;
}

/** A client of `toolgate mcp`, connected. */
export async function stdioClient(
  play: Playground,
  args: readonly string[] = [],
  options: ClientOptions = {},
): Promise<{ readonly client: Client; readonly pid: number }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", ...args],
    cwd: play.project,
    env: play.env,
    stderr: "ignore",
  });
  const client = clientOf(options);
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0 };
}

/** A client of `toolgate serve`, connected. */
export async function httpClient(
  mcpUrl: string,
  token: string,
  options: ClientOptions = {},
): Promise<Client> {
  const client = clientOf(options);
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
  return client;
}

/** Calls a tool, for the whole answer and its text. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  options: Parameters<Client["callTool"]>[1] = {},
): Promise<{ readonly result: CallToolResult; readonly text: string; readonly state: unknown }> {
  const result = await client.callTool({ name, arguments: args }, options);
  const text = result.content
    .map((block) => (block.type === "text" ? block.text : `[${block.type}]`))
    .join("\n");
  return { result, text, state: result._meta?.["toolgate/state"] };
}
