import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { JsonSchema, Tool } from "../tool.ts";

/** How each provider wants to be told about a tool. */
export interface ProviderSchemas {
  /** Chat completions' `tools`. */
  readonly openai: {
    readonly type: "function";
    readonly function: {
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonSchema;
    };
  };
  /** Messages' `tools`. */
  readonly anthropic: {
    readonly name: string;
    readonly description: string;
    readonly input_schema: JsonSchema;
  };
  /** `tools/list`. */
  readonly mcp: {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonSchema;
    readonly annotations: { readonly readOnlyHint: boolean };
  };
  /** A language model's `tools` in the AI SDK. */
  readonly "ai-sdk": {
    readonly type: "function";
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonSchema;
  };
}

/** The providers by name. */
export type Provider = keyof ProviderSchemas;

const WRITERS: { readonly [P in Provider]: (tool: Tool) => ProviderSchemas[P] } = {
  openai: (tool) => ({
    type: "function",
    function: { name: tool.name, description: tool.description, parameters: objectRoot(tool.inputSchema) },
  }),
  anthropic: (tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: objectRoot(tool.inputSchema),
  }),
  mcp: (tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: typed(tool.inputSchema),
    annotations: { readOnlyHint: tool.isReadOnly },
  }),
  "ai-sdk": (tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: typed(tool.inputSchema),
  }),
};

/** The tools as a provider wants them, in the order given. */
export function providerSchemas<P extends Provider>(
  tools: readonly Tool[],
  provider: P,
): readonly ProviderSchemas[P][] {
  return tools.map(WRITERS[provider]);
}

/** The order in which tools are shown, whatever order they were registered in: by name, tools of MCP servers last. Caches of prompts live on it. */
export function inOrder(tools: readonly Tool[]): readonly Tool[] {
  return [...tools].sort((a, b) => Number(a.isMcp) - Number(b.isMcp) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Says at the root that it is an object, and keeps all else: `$defs` belong to the `$ref`s. */
function typed(schema: JsonSchema): JsonSchema {
  return schema.type === "object" ? schema : { type: "object", ...schema };
}

/**
 * For providers that take no union at the root: one object with every branch's properties, those required that all branches
 * require. It is wider than the schema itself, which inputs are held against.
 */
function objectRoot(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const union = [anyOf, oneOf].find(Array.isArray);
  const every = Array.isArray(allOf) ? allOf : [];
  if (union === undefined && every.length === 0) return typed(schema);
  const branches = (union ?? []).filter(isObject);
  const parts = every.filter(isObject);
  const properties: Record<string, Json> = {};
  for (const part of [...branches, ...parts, rest]) Object.assign(properties, propertiesOf(part));
  const required = new Set([rest, ...parts].flatMap(requiredOf));
  for (const name of branches[0] === undefined ? [] : requiredOf(branches[0])) {
    if (branches.every((branch) => requiredOf(branch).includes(name))) required.add(name);
  }
  return { ...rest, type: "object", properties, required: [...required] };
}

function propertiesOf(schema: Record<string, unknown>): JsonObject {
  const { properties } = schema;
  return isObject(properties) ? (properties as JsonObject) : {}; // a part of a JSON Schema
}

function requiredOf(schema: Record<string, unknown>): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
