import type { JsonObject } from "./lib/json.ts";

/** A piece of text. Pieces with the same id are one block in the response. */
export interface TextBlock {
  readonly type: "text";
  readonly id: string;
  readonly text: string;
}

/** Where a data block's bytes are. */
export type DataSource =
  | { readonly type: "base64"; readonly data: string; readonly mediaType: string }
  | { readonly type: "url"; readonly url: string; readonly mediaType: string };

/** An image, a document, or other bytes. */
export interface DataBlock {
  readonly type: "data";
  readonly id: string;
  readonly name?: string;
  readonly source: DataSource;
}

/** What an answer is made of. */
export type ContentBlock = TextBlock | DataBlock;

/** How a call stands or ended. `running` is for chunks only. */
export type ResultState = "running" | "success" | "error" | "denied" | "interrupted";

/** A piece of a tool's streamed answer. */
export interface ToolChunk {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  readonly state: ResultState;
  readonly isLast: boolean;
  readonly metadata: JsonObject;
}

/** What {@link toolChunk} takes: text for short, or blocks. */
export interface ToolChunkInit {
  readonly id?: string;
  readonly text?: string;
  readonly content?: readonly ContentBlock[];
  /** @default "running" */
  readonly state?: ResultState;
  /** @default true */
  readonly isLast?: boolean;
  readonly metadata?: JsonObject;
}

const NO_METADATA: JsonObject = Object.freeze({});

/** A text block with a fresh id. */
export function textBlock(text: string, id: string = crypto.randomUUID()): TextBlock {
  return { type: "text", id, text };
}

/** A data block with a fresh id. */
export function dataBlock(source: DataSource, name?: string, id: string = crypto.randomUUID()): DataBlock {
  return name === undefined ? { type: "data", id, source } : { type: "data", id, name, source };
}

/** A chunk with the defaults of the interface filled in. */
export function toolChunk(init: ToolChunkInit): ToolChunk {
  const blocks = init.content ?? [];
  return {
    id: init.id ?? crypto.randomUUID(),
    content: init.text === undefined ? blocks : [textBlock(init.text), ...blocks],
    state: init.state ?? "running",
    isLast: init.isLast ?? true,
    metadata: init.metadata ?? NO_METADATA,
  };
}

/** True for a value that has the shape of a {@link ToolChunk}. */
export function isToolChunk(value: unknown): value is ToolChunk {
  return (
    typeof value === "object" &&
    value !== null &&
    "content" in value &&
    Array.isArray(value.content) &&
    "state" in value &&
    "isLast" in value
  );
}
