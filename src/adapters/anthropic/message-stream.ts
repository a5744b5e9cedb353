import type { ContentBlock, MessageParam, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { isObject } from "../../lib/json.ts";
import type { MessageTurn } from "./messages.ts";

type Start = Extract<RawMessageStreamEvent, { type: "content_block_start" }>["content_block"];
type Delta = Extract<RawMessageStreamEvent, { type: "content_block_delta" }>["delta"];

/** Puts a streamed message together: blocks by their index, the arguments of calls as the text that came. */
export class MessageStream {
  readonly #blocks = new Map<number, Start>();
  readonly #inputs = new Map<number, string>();
  #stopReason: MessageTurn["stop_reason"] = null;

  /** Takes the next event of `messages.create({ stream: true })`. */
  add(event: RawMessageStreamEvent): void {
    if (event.type === "content_block_start") this.#blocks.set(event.index, { ...event.content_block });
    if (event.type === "content_block_delta") this.#addDelta(event.index, event.delta);
    if (event.type === "message_delta") this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
  }

  /** What came so far, to be answered. A stream that broke off has no stop reason: a call cut off by it is never run. */
  get turn(): MessageTurn {
    const places = [...this.#blocks.keys()].sort((a, b) => a - b);
    const rawInputs = new Map<number, string>();
    const content = places.flatMap((index, at): ContentBlock[] => {
      const block = this.#blocks.get(index);
      if (block === undefined) return [];
      const raw = this.#inputs.get(index);
      if (raw !== undefined) rawInputs.set(at, raw);
      return [raw !== undefined && "input" in block ? { ...block, input: objectIn(raw) } : block];
    });
    return { content, stop_reason: this.#stopReason, rawInputs };
  }

  /** What came so far, to go into the conversation before its answers. */
  get message(): MessageParam {
    return { role: "assistant", content: this.turn.content };
  }

  #addDelta(index: number, delta: Delta): void {
    const block = this.#blocks.get(index);
    if (delta.type === "input_json_delta") {
      this.#inputs.set(index, (this.#inputs.get(index) ?? "") + delta.partial_json);
    } else if (delta.type === "text_delta" && block?.type === "text") block.text += delta.text;
    else if (block?.type === "thinking") {
      if (delta.type === "thinking_delta") block.thinking += delta.thinking;
      if (delta.type === "signature_delta") block.signature += delta.signature;
    }
  }
}

/** An input that the provider takes back: an object. Where the text is malformed, the call's answer says so. */
function objectIn(raw: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(raw);
    return isObject(input) ? input : {};
  } catch {
    return {};
  }
}
