import { isObject, type JsonObject } from "../../lib/json.ts";
import type { JsonSchema, Tool } from "../../tool.ts";
import { isStdio, type McpServerConfig } from "./config.ts";
import { type McpCall, McpTool, type McpToolFacts } from "./mcp-tool.ts";
import { toolNames } from "./names.ts";
import { schemaFault } from "./schema-check.ts";

/** A server's list of tools as toolgate offers it. */
export interface Offered {
  readonly tools: ReadonlyMap<string, Tool>;
  /** What was left out, in words. */
  readonly problems: readonly string[];
}

/** What tools are made for. */
export interface OfferContext {
  readonly server: string;
  /** The server's part of tool names. */
  readonly part: string;
  readonly config: McpServerConfig;
  readonly middlewares: McpToolFacts["middlewares"];
  /** Carries a call of the tool that the server calls by this name out. */
  call(original: string): McpCall;
}

const MOST_DESCRIPTION = 8000;
const MOST_SCHEMA = 256 * 1024;
const MOST_NAME = 256;
const MOST_TOLD = 20;

/** A tool as the server lists it, once it has been looked at. */
interface Listed {
  readonly original: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly saysReadOnly: boolean;
}

/** Makes tools of what a server lists. One that can't be used is left out with a word, the others stay. */
export function offeredTools(items: readonly unknown[], context: OfferContext): Offered {
  const { server, part, config, middlewares = [] } = context;
  const problems: string[] = [];
  const listed = new Map<string, Listed>();
  for (const item of items) {
    const read = readTool(item);
    if (typeof read === "string") problems.push(read);
    else if (listed.has(read.original)) problems.push(`${quoted(read.original)} is listed twice`);
    else if (isWanted(read.original, config)) listed.set(read.original, read);
  }
  const tools = new Map<string, Tool>();
  for (const [original, name] of toolNames(part, listed.keys())) {
    const read = listed.get(original);
    if (read === undefined) continue;
    if (tools.has(name)) {
      problems.push(`${quoted(original)} can't be told from another`);
      continue;
    }
    const { description, inputSchema, saysReadOnly } = read;
    const isReadOnly = config.trusted === true && saysReadOnly;
    const host = isStdio(config) ? undefined : URL.parse(config.url)?.hostname;
    const facts = { name, server, description, inputSchema, isReadOnly, host, middlewares };
    tools.set(name, new McpTool(facts, context.call(original)));
  }
  return { tools, problems: told(problems) };
}

function readTool(item: unknown): Listed | string {
  if (!isObject(item)) return "one that is no object";
  const { name, title, description, inputSchema, annotations } = item;
  if (typeof name !== "string" || name === "" || name.length > MOST_NAME) return "one without a proper name";
  const schema = inputSchema ?? { type: "object" };
  const fault = schemaFault(schema);
  if (fault !== undefined || !isObject(schema))
    return `${quoted(name)}: its input schema is broken: ${fault}`;
  if (JSON.stringify(schema).length > MOST_SCHEMA) return `${quoted(name)}: its input schema is too large`;
  const text = typeof description === "string" ? description : typeof title === "string" ? title : "";
  return {
    original: name,
    description: plain(text),
    // It came over the wire, so it is JSON.
    inputSchema: Array.isArray(schema.type)
      ? { ...(schema as JsonObject), type: "object" }
      : (schema as JsonObject),
    saysReadOnly: isObject(annotations) && annotations.readOnlyHint === true,
  };
}

/** Without what a person who looks at it wouldn't see: control characters, direction marks, invisible letters. */
function plain(text: string): string {
  const visible = text.replace(/[^\P{C}\n\t]/gu, "");
  return visible.length > MOST_DESCRIPTION ? `${visible.slice(0, MOST_DESCRIPTION)} …` : visible;
}

function isWanted(name: string, { include, exclude = [] }: McpServerConfig): boolean {
  if (exclude.some((pattern) => fits(name, pattern))) return false;
  return include === undefined || include.some((pattern) => fits(name, pattern));
}

function fits(name: string, pattern: string): boolean {
  const parts = pattern.split("*");
  const last = parts.length - 1;
  if (last === 0) return name === pattern;
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = index === last ? name.length - part.length : name.indexOf(part, at);
    if (found < at || (index === 0 && found !== 0) || !name.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return true;
}

function told(problems: readonly string[]): readonly string[] {
  if (problems.length <= MOST_TOLD) return problems;
  return [...problems.slice(0, MOST_TOLD), `and ${problems.length - MOST_TOLD} more`];
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
