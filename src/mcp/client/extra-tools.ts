import { type ToolChunk, toolChunk } from "../../chunk.ts";
import { isObject } from "../../lib/json.ts";
import type { CallContext, JsonSchema, Tool, ToolInput } from "../../tool.ts";
import { isStdio, type McpServerConfig } from "./config.ts";
import { promptChunk, resourceChunk } from "./content.ts";
import { McpTool } from "./mcp-tool.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A server, for the tools that show its resources and prompts. */
export interface ExtraContext {
  readonly server: string;
  readonly part: string;
  readonly config: McpServerConfig;
  /** What the server says it can. */
  readonly capabilities: Fields;
  request(method: string, params: Fields, context: CallContext): Promise<Fields>;
}

interface Extra {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  call(input: ToolInput, ask: (method: string, params: Fields) => Promise<Fields>): Promise<ToolChunk>;
}

const CURSOR = { type: "string", description: "Where an earlier list said it goes on." } as const;
const LIST = { type: "object", properties: { cursor: CURSOR }, additionalProperties: false } as const;

const RESOURCES: readonly Extra[] = [
  {
    name: "list_resources",
    description: "Lists resources (documents, records, files) that can be read with read_resource.",
    inputSchema: LIST,
    async call({ cursor }, ask) {
      const params = cursor === undefined ? {} : { cursor };
      const [listed, templates] = await Promise.all([
        ask("resources/list", params),
        // Not every server has templates; the list itself counts.
        cursor === undefined ? ask("resources/templates/list", {}).catch(() => ({})) : {},
      ]);
      return toolChunk({ text: listing({ ...templates, ...listed }), state: "success" });
    },
  },
  {
    name: "read_resource",
    description: "Reads a resource by its URI, as list_resources shows it.",
    inputSchema: {
      type: "object",
      properties: { uri: { type: "string" } },
      required: ["uri"],
      additionalProperties: false,
    },
    call: async ({ uri }, ask) => resourceChunk((await ask("resources/read", { uri })).contents),
  },
];

const PROMPTS: readonly Extra[] = [
  {
    name: "list_prompts",
    description: "Lists prompts that can be had with get_prompt, with their arguments.",
    inputSchema: LIST,
    async call({ cursor }, ask) {
      const listed = await ask("prompts/list", cursor === undefined ? {} : { cursor });
      return toolChunk({ text: listing(listed), state: "success" });
    },
  },
  {
    name: "get_prompt",
    description: "Gets a prompt by name, its arguments filled in.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string" },
        arguments: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["name"],
      additionalProperties: false,
    },
    call: async ({ name, arguments: given = {} }, ask) =>
      promptChunk(await ask("prompts/get", { name, arguments: given })),
  },
];

/** The tools that show a server's resources and prompts, where its configuration asks for them and it has them. */
export function extraTools(context: ExtraContext): readonly Tool[] {
  const { config, capabilities } = context;
  const extras = [
    ...(config.exposeResources === true && isObject(capabilities.resources) ? RESOURCES : []),
    ...(config.exposePrompts === true && isObject(capabilities.prompts) ? PROMPTS : []),
  ];
  return extras.map((extra) => extraTool(extra, context));
}

function extraTool(extra: Extra, { server, part, config, request }: ExtraContext): Tool {
  const facts = {
    name: `mcp__${part}__${extra.name}`,
    server,
    description: `${extra.description} Of the MCP server ${server}.`,
    inputSchema: extra.inputSchema,
    // Reading is all they do, but only a trusted server is believed to do no more.
    isReadOnly: config.trusted === true,
    host: isStdio(config) ? undefined : URL.parse(config.url)?.hostname,
  };
  return new McpTool(facts, (input, context) =>
    extra.call(input, (method, params) => request(method, params, context)),
  );
}

const LISTS = ["resources", "resourceTemplates", "prompts"] as const;

function listing(result: Fields): string {
  const items = LISTS.flatMap((key) => {
    const found: unknown = result[key];
    return Array.isArray(found) ? found.map((item: unknown) => JSON.stringify(item)) : [];
  });
  if (items.length === 0) return "There are none.";
  const more =
    typeof result.nextCursor === "string"
      ? `\nIt goes on: {"cursor": ${JSON.stringify(result.nextCursor)}}`
      : "";
  return items.join("\n") + more;
}
