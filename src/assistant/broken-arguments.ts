import { isObject, type JsonObject } from "../lib/json.ts";
import type { Tool } from "../tool.ts";

const FAILED = "__tool_argument_parse_error__";
const RAW = "__tool_argument_raw__";

/**
 * The model's own text where a loop couldn't read it and put it into an object: `{"__tool_argument_raw__": …}`, or `{"raw": …}` for a
 * tool that has no such parameter. The gate reads it, mends it if it can, and says what is wrong with it if not.
 */
export function brokenArguments(args: string | JsonObject, tool: Tool | undefined): string | JsonObject {
  if (!isObject(args)) return args;
  const raw = args[RAW];
  if (Object.hasOwn(args, FAILED) && typeof raw === "string") return raw;
  const isAll = typeof args.raw === "string" && Object.keys(args).length === 1;
  return isAll && !hasParameter(tool, "raw") ? String(args.raw) : args;
}

function hasParameter(tool: Tool | undefined, name: string): boolean {
  const properties = tool?.inputSchema.properties;
  return isObject(properties) && Object.hasOwn(properties, name);
}
