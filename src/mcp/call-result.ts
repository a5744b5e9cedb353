import type { CallToolResult, ContentBlock as McpContent } from "@modelcontextprotocol/server";
import type { ContentBlock, DataBlock } from "../chunk.ts";
import { isObject } from "../lib/json.ts";
import type { ToolResponse } from "../response.ts";

/** A response as MCP carries it. Everything but success is an error there; which one is in `_meta`. */
export function callResult(response: ToolResponse): CallToolResult {
  const content = response.content.map(mcpContent);
  const { structuredContent } = response.metadata;
  return {
    // Some clients take an empty list for a broken server.
    content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }],
    isError: response.state !== "success",
    // What a server behind us gave for programs goes on to programs.
    ...(isObject(structuredContent) ? { structuredContent } : {}),
    _meta: { "toolgate/state": response.state, "toolgate/metadata": { ...response.metadata } },
  };
}

/** A refusal of the server itself, for the model to read. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function mcpContent(block: ContentBlock): McpContent {
  return block.type === "text" ? { type: "text", text: block.text } : mcpData(block);
}

function mcpData({ id, name, source }: DataBlock): McpContent {
  if (source.type === "url") {
    return { type: "resource_link", uri: source.url, name: name ?? source.url, mimeType: source.mediaType };
  }
  const { data, mediaType: mimeType } = source;
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  const uri = `toolgate:data/${encodeURIComponent(name ?? id)}`;
  return { type: "resource", resource: { uri, mimeType, blob: data } };
}
