import type { ContentBlock, DataBlock, ResultState, ToolChunk } from "./chunk.ts";
import { ToolgateError } from "./errors.ts";
import type { JsonObject } from "./lib/json.ts";

/** How a call ended. */
export type FinalState = Exclude<ResultState, "running">;

/** Worse states win; between `denied` and `interrupted` the later one does. */
const RANK: Record<ResultState, number> = { running: 0, success: 0, denied: 1, interrupted: 1, error: 2 };

/** The whole answer of a call: its chunks added up. */
export class ToolResponse {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  readonly state: FinalState;
  readonly metadata: JsonObject;

  constructor(id: string, content: readonly ContentBlock[], state: FinalState, metadata: JsonObject = {}) {
    this.id = id;
    this.content = content;
    this.state = state;
    this.metadata = metadata;
  }

  /** All text blocks, joined. */
  get text(): string {
    let text = "";
    for (const block of this.content) if (block.type === "text") text += block.text;
    return text;
  }
}

/**
 * Adds chunks up into a {@link ToolResponse}. Blocks of one id are one block: text is concatenated, base64 data is joined by
 * bytes. Neighbouring text blocks are joined. `error` is sticky. Metadata is merged shallowly, later keys win.
 */
export class ResponseBuilder {
  readonly #blocks: ContentBlock[] = [];
  /** Where each id's block is: answers may come in very many pieces. */
  readonly #places = new Map<string, number>();
  #state: ResultState = "success";
  #metadata: JsonObject = {};

  /** @throws ToolgateError `tool_failed` when a block changes its type or its kind of source under one id */
  append(chunk: ToolChunk): void {
    for (const block of chunk.content) this.#add(block);
    if (RANK[chunk.state] >= RANK[this.#state] && chunk.state !== "running") this.#state = chunk.state;
    // Spread defines own properties, so a `__proto__` key in metadata stays a key.
    this.#metadata = { ...this.#metadata, ...chunk.metadata };
  }

  build(id: string): ToolResponse {
    const state = this.#state === "running" ? "success" : this.#state;
    return new ToolResponse(id, joinText(this.#blocks), state, this.#metadata);
  }

  #add(block: ContentBlock): void {
    const at = this.#places.get(block.id);
    const known = at === undefined ? undefined : this.#blocks[at];
    if (at === undefined || known === undefined) {
      this.#places.set(block.id, this.#blocks.push(block) - 1);
    } else this.#blocks[at] = merge(known, block);
  }
}

function merge(known: ContentBlock, next: ContentBlock): ContentBlock {
  if (known.type === "text" && next.type === "text") return { ...known, text: known.text + next.text };
  if (known.type === "data" && next.type === "data") return mergeData(known, next);
  throw new ToolgateError("tool_failed", `Block ${next.id} came as ${known.type} and then as ${next.type}.`);
}

function mergeData(known: DataBlock, next: DataBlock): DataBlock {
  if (known.source.type !== "base64" || next.source.type !== "base64") {
    throw new ToolgateError("tool_failed", `Data block ${next.id} can only be continued in base64.`);
  }
  const bytes = [known.source.data, next.source.data].map((data) => Buffer.from(data, "base64"));
  const mediaType = next.source.mediaType || known.source.mediaType;
  return {
    ...known,
    ...(next.name === undefined ? {} : { name: next.name }),
    source: { type: "base64", data: Buffer.concat(bytes).toString("base64"), mediaType },
  };
}

function joinText(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const joined: ContentBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.type === "text" && last?.type === "text") {
      joined[joined.length - 1] = { ...last, text: last.text + block.text };
    } else joined.push(block);
  }
  return joined;
}
