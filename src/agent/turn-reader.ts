import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { dataBlock } from "../chunk.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { endsInText, parseInput } from "../lib/json-input.ts";
import type { AssistantMessage } from "../message.ts";
import type { AgentEvent } from "./event.ts";
import type { ModelPart } from "./model.ts";
import { parsedStrictly } from "./strict-json.ts";

type Block = AssistantMessage["content"][number];

/** Ways to end by which a model has said all that it meant to say. */
const WHOLE: ReadonlySet<string> = new Set(["stop", "tool-calls"]);

/** A text or a thought as it grows. */
interface Draft {
  readonly kind: "text" | "thinking";
  readonly id: string;
  text: string;
  provider?: JsonObject;
}

/** How the model's turn ended. */
export interface TurnEnd {
  readonly reason: string;
  readonly usage: LanguageModelV4Usage;
}

/** Adds up what a model streams, and says what is to be shown. */
export class TurnReader {
  readonly #usedIds: Set<string>;
  readonly #blocks: (Block | Draft)[] = [];
  /** By the provider's id, which only holds while the block is open. */
  readonly #open = new Map<string, Draft>();
  /** The session's ids for the provider's. */
  readonly #callIds = new Map<string, string>();
  #end: TurnEnd | undefined;
  #hasContent = false;

  /** `usedIds`: ids of calls in the session so far; those of this turn are added. */
  constructor(usedIds: Set<string>) {
    this.#usedIds = usedIds;
  }

  /** How it ended; `undefined` while it hasn't. */
  get end(): TurnEnd | undefined {
    return this.#end;
  }

  /** Something came that can't be taken back. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  /** What to show of a piece. @throws what the provider reports */
  read(part: ModelPart): readonly AgentEvent[] {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        return this.#start(part.id, part.type === "text-start" ? "text" : "thinking", part.providerMetadata);
      case "text-delta":
      case "reasoning-delta":
        return this.#delta(part.id, part.type === "text-delta" ? "text" : "thinking", part);
      case "text-end":
      case "reasoning-end":
        return this.#close(part.id, part.providerMetadata);
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-call":
        return part.type !== "tool-input-delta" && part.providerExecuted === true ? [] : this.#call(part);
      case "file":
        return this.#file(part);
      case "finish":
        this.#end = { reason: part.finishReason.unified, usage: part.usage };
        return [];
      case "error":
        throw part.error;
      default:
        return [];
    }
  }

  /** Calls whose arguments are not all there. */
  get truncated(): ReadonlySet<string> {
    const isWhole = this.#end !== undefined && WHOLE.has(this.#end.reason);
    return new Set(
      this.#blocks.flatMap((block) => {
        if ("kind" in block || block.type !== "tool_call") return [];
        if (parsedStrictly(block.input) !== undefined) return [];
        return isWhole && !endsInText(block.input) ? [] : [block.id];
      }),
    );
  }

  /** What came, as a message. `cut` leaves calls and thoughts out: they may be incomplete, and nothing of them was carried out. */
  async message(cut: boolean): Promise<AssistantMessage> {
    const content: Block[] = [];
    const { truncated } = this;
    for (const block of this.#blocks) {
      if ("kind" in block) {
        if (block.kind === "text" || !cut) content.push(written(block));
      } else if (block.type !== "tool_call") content.push(block);
      else if (truncated.has(block.id)) content.push(block);
      else if (!cut) content.push({ ...block, input: await readable(block.input) });
    }
    return { id: crypto.randomUUID(), role: "assistant", createdAt: new Date().toISOString(), content };
  }

  #start(id: string, kind: Draft["kind"], metadata: unknown): readonly AgentEvent[] {
    const draft: Draft = { kind, id: crypto.randomUUID(), text: "", ...provided(metadata) };
    this.#blocks.push(draft);
    this.#open.set(`${kind} ${id}`, draft);
    this.#hasContent = true;
    return [{ type: kind === "text" ? "TEXT_BLOCK_START" : "THINKING_BLOCK_START", blockId: draft.id }];
  }

  #delta(
    id: string,
    kind: Draft["kind"],
    { delta, providerMetadata }: { readonly delta: string; readonly providerMetadata?: unknown },
  ): readonly AgentEvent[] {
    const started = this.#open.has(`${kind} ${id}`) ? [] : this.#start(id, kind, undefined);
    const draft = this.#open.get(`${kind} ${id}`);
    if (draft === undefined) return started;
    draft.text += delta;
    Object.assign(draft, provided(providerMetadata));
    const type = kind === "text" ? "TEXT_BLOCK_DELTA" : "THINKING_BLOCK_DELTA";
    return delta === "" ? started : [...started, { type, blockId: draft.id, delta }];
  }

  #close(id: string, metadata: unknown): readonly AgentEvent[] {
    for (const kind of ["text", "thinking"] as const) {
      const draft = this.#open.get(`${kind} ${id}`);
      if (draft === undefined) continue;
      this.#open.delete(`${kind} ${id}`);
      Object.assign(draft, provided(metadata));
      return [{ type: kind === "text" ? "TEXT_BLOCK_END" : "THINKING_BLOCK_END", blockId: draft.id }];
    }
    return [];
  }

  #call(
    part: Extract<ModelPart, { type: "tool-input-start" | "tool-input-delta" | "tool-call" }>,
  ): readonly AgentEvent[] {
    if (part.type === "tool-input-start") return this.#begin(part.id, part.toolName);
    if (part.type === "tool-input-delta") {
      const callId = this.#callIds.get(part.id);
      return callId === undefined ? [] : [{ type: "TOOL_CALL_DELTA", callId, delta: part.delta }];
    }
    const { toolCallId, toolName, input, providerMetadata } = part;
    const began = this.#callIds.has(toolCallId) ? [] : this.#begin(toolCallId, toolName);
    const callId = this.#callIds.get(toolCallId) ?? toolCallId;
    this.#callIds.delete(toolCallId);
    this.#blocks.push({
      type: "tool_call",
      id: callId,
      name: toolName,
      input,
      state: "pending",
      ...provided(providerMetadata),
    });
    const delta = began.length === 0 ? [] : ([{ type: "TOOL_CALL_DELTA", callId, delta: input }] as const);
    return [...began, ...delta, { type: "TOOL_CALL_END", callId, toolName, input }];
  }

  #begin(providerId: string, toolName: string): readonly AgentEvent[] {
    // Some models number their calls anew in every turn, or leave the id empty.
    const isNew = providerId !== "" && !this.#usedIds.has(providerId);
    const callId = isNew ? providerId : `call_${crypto.randomUUID()}`;
    this.#usedIds.add(callId);
    this.#callIds.set(providerId, callId);
    this.#hasContent = true;
    return [{ type: "TOOL_CALL_START", callId, toolName }];
  }

  #file({ data, mediaType }: Extract<ModelPart, { type: "file" }>): readonly AgentEvent[] {
    const source = sourceOf(data, mediaType);
    if (source === undefined) return [];
    const block = dataBlock(source);
    this.#blocks.push(block);
    this.#hasContent = true;
    return [
      { type: "DATA_BLOCK_START", blockId: block.id, mediaType },
      { type: "DATA_BLOCK_DELTA", blockId: block.id, block },
      { type: "DATA_BLOCK_END", blockId: block.id },
    ];
  }
}

function written({ kind, id, text, provider }: Draft): Block {
  const more = provider === undefined ? {} : { provider };
  return kind === "text"
    ? { type: "text", id, text, ...more }
    : { type: "thinking", id, thinking: text, ...more };
}

function provided(metadata: unknown): { readonly provider?: JsonObject } {
  if (!isObject(metadata)) return {};
  // It has to be kept in a state that is plain JSON.
  const provider: JsonObject = JSON.parse(JSON.stringify(metadata));
  return { provider };
}

/** The arguments as they are kept: a text that had to be repaired is shown to the model as what was understood. */
async function readable(input: string): Promise<string> {
  if (parsedStrictly(input) !== undefined) return input;
  const parsed = await parseInput(input);
  return parsed.ok ? JSON.stringify(parsed.value) : input;
}

function sourceOf(
  data: Extract<ModelPart, { type: "file" }>["data"],
  mediaType: string,
): Parameters<typeof dataBlock>[0] | undefined {
  if (typeof data === "string") return { type: "base64", data, mediaType };
  if (data instanceof Uint8Array) {
    return { type: "base64", data: Buffer.from(data).toString("base64"), mediaType };
  }
  if (data.type === "url") return { type: "url", url: data.url.href, mediaType };
  return sourceOf(data.data, mediaType);
}
