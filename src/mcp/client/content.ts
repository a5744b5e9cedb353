import {
  type ContentBlock,
  type DataBlock,
  dataBlock,
  type TextBlock,
  type ToolChunk,
  textBlock,
  toolChunk,
} from "../../chunk.ts";
import { isObject, type Json } from "../../lib/json.ts";

/** Characters of structured content that go along beside the answer, where no limit cuts it. */
const STRUCTURED_CHARS = 16_000;

/** A `tools/call` result as a chunk. Understands what it can and shows the rest as it is; nothing is dropped in silence. */
export function resultChunk(result: Readonly<Record<string, unknown>>): ToolChunk {
  const { content, structuredContent, isError } = result;
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  const blocks = items.map(contentBlock);
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  const hasText = blocks.some(({ type }) => type === "text");
  // Servers repeat it as text for those who can't read it; where they didn't, it is the answer.
  if (structured !== undefined && !hasText) blocks.push(textBlock(structured));
  const goesAlong = structured !== undefined && structured.length <= STRUCTURED_CHARS;
  return toolChunk({
    content: apart(blocks),
    state: isError === true ? "error" : "success",
    // What came over the wire is JSON.
    metadata: goesAlong ? { structuredContent: structuredContent as Json } : {},
  });
}

/** A `resources/read` result's contents as a chunk. */
export function resourceChunk(contents: unknown): ToolChunk {
  const items: readonly unknown[] = Array.isArray(contents) ? contents : [];
  if (items.length === 0) return toolChunk({ text: "The resource is empty.", state: "success" });
  return toolChunk({ content: apart(items.map(resourceBlock)), state: "success" });
}

/** A `prompts/get` result as a chunk: each message under who says it. */
export function promptChunk(result: Readonly<Record<string, unknown>>): ToolChunk {
  const messages: readonly unknown[] = Array.isArray(result.messages) ? result.messages : [];
  const blocks = messages.filter(isObject).flatMap(({ role, content }) => {
    const items: readonly unknown[] = Array.isArray(content) ? content : [content];
    return [textBlock(`[${role === "assistant" ? "assistant" : "user"}]`), ...items.map(contentBlock)];
  });
  return toolChunk({ content: apart(blocks), state: "success" });
}

function contentBlock(item: unknown): ContentBlock {
  if (!isObject(item)) return asItIs(item);
  const { type, text, data, mimeType, resource, uri, name } = item;
  if (type === "text" && typeof text === "string") return textBlock(text);
  if ((type === "image" || type === "audio") && typeof data === "string") {
    const mediaType = mediaTypeOf(mimeType, type === "image" ? "image/png" : "audio/wav");
    return dataBlock({ type: "base64", data, mediaType });
  }
  if (type === "resource" && isObject(resource)) return resourceBlock(resource);
  if (type === "resource_link" && typeof uri === "string") return linkBlock(uri, mimeType, name);
  return asItIs(item);
}

function resourceBlock(resource: unknown): ContentBlock {
  if (!isObject(resource)) return asItIs(resource);
  const { uri, text, blob, mimeType } = resource;
  const name = typeof uri === "string" ? uri : undefined;
  if (typeof text === "string") return textBlock(name === undefined ? text : `[${oneLine(name)}]\n${text}`);
  if (typeof blob !== "string") return asItIs(resource);
  return dataBlock(
    { type: "base64", data: blob, mediaType: mediaTypeOf(mimeType, "application/octet-stream") },
    name,
  );
}

function linkBlock(url: string, mimeType: unknown, name: unknown): DataBlock {
  const mediaType = mediaTypeOf(mimeType, "application/octet-stream");
  return dataBlock({ type: "url", url, mediaType }, typeof name === "string" ? name : undefined);
}

function asItIs(item: unknown): TextBlock {
  return textBlock(JSON.stringify(item) ?? "");
}

/** Blocks that were apart stay apart: neighbouring text is joined later. */
function apart(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks.map((block, at) => {
    const next = blocks[at + 1];
    if (block.type !== "text" || next?.type !== "text" || block.text.endsWith("\n")) return block;
    return { ...block, text: `${block.text}\n` };
  });
}

function mediaTypeOf(given: unknown, fallback: string): string {
  return typeof given === "string" && /^[\w.+-]+\/[\w.+-]+(?:;.*)?$/.test(given) ? given : fallback;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
