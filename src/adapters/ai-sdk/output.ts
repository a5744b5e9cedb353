import type { ToolResultPart } from "ai";
import type { ContentBlock, ResultState } from "../../chunk.ts";
import type { JsonObject } from "../../lib/json.ts";
import { NO_OUTPUT } from "../turn.ts";

/** What a model is given for an output. */
type ModelOutput = ToolResultPart["output"];
type Part = Extract<ModelOutput, { type: "content" }>["value"][number];

/** How far a running call says it is. */
export interface CallProgress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

/** What a call's `execute` gives: plain JSON, for a user interface to show. While it runs, what has come so far. */
export interface CallOutput {
  readonly state: ResultState;
  readonly content: readonly ContentBlock[];
  readonly metadata: JsonObject;
  readonly progress?: CallProgress;
}

/** An output as the model is shown it. Takes what a client sent back as well, so nothing about it is certain. */
export function modelOutput(output: Partial<CallOutput> | undefined): ModelOutput {
  const { state, content } = output ?? {};
  const blocks = Array.isArray(content) ? content.filter(isShowable) : [];
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (state === "denied") return { type: "execution-denied", reason: text === "" ? "It was refused." : text };
  if (blocks.every(({ type }) => type === "text")) {
    const value = text === "" ? NO_OUTPUT : text;
    return { type: state === "error" || state === "interrupted" ? "error-text" : "text", value };
  }
  return { type: "content", value: blocks.map(part) };
}

function part(block: ContentBlock): Part {
  if (block.type === "text") return { type: "text", text: block.text };
  const { name, source } = block;
  return {
    type: "file",
    mediaType: source.mediaType,
    data:
      source.type === "url" ? { type: "url", url: new URL(source.url) } : { type: "data", data: source.data },
    ...(name === undefined ? {} : { filename: name }),
  };
}

function isShowable(block: unknown): block is ContentBlock {
  if (typeof block !== "object" || block === null || !("type" in block)) return false;
  if (block.type === "text") return "text" in block && typeof block.text === "string";
  if (!("source" in block) || typeof block.source !== "object" || block.source === null) return false;
  const source: object = block.source;
  if (!("mediaType" in source) || typeof source.mediaType !== "string") return false;
  if ("url" in source) return typeof source.url === "string" && URL.canParse(source.url);
  return "data" in source && typeof source.data === "string";
}
