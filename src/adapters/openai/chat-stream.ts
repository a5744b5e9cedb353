import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionChunk,
} from "openai/resources/chat/completions";
import type { ChatTurn } from "./chat.ts";

type Delta = ChatCompletionChunk.Choice.Delta.ToolCall;
type Finish = ChatTurn["finish_reason"];

interface OpenCall {
  id: string;
  name: string;
  input: string;
  isCustom: boolean;
}

/**
 * Puts a streamed completion together. Parts of a call belong together by their index; where a server gives none, or one for
 * all, by their id.
 */
export class ChatStream {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  #text = "";
  #refusal = "";
  #finish: Finish = null;

  /** Takes the next chunk; looks at the first choice only. */
  add(chunk: ChatCompletionChunk): void {
    const choice = (chunk.choices ?? []).find(({ index }) => (index ?? 0) === 0);
    if (choice === undefined) return;
    const { delta, finish_reason } = choice;
    this.#text += delta?.content ?? "";
    this.#refusal += delta?.refusal ?? "";
    for (const part of delta?.tool_calls ?? []) this.#addPart(part);
    if (finish_reason) this.#finish = finish_reason;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /** What came so far, to go into the conversation before its answers. */
  get message(): ChatCompletionAssistantMessageParam {
    const calls = this.#toolCalls();
    return {
      role: "assistant",
      content: this.#text === "" ? null : this.#text,
      ...(this.#refusal === "" ? {} : { refusal: this.#refusal }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }

  /** What came so far, to be answered. A stream that broke off has no finish reason: calls cut off by it are never run. */
  get turn(): ChatTurn {
    return { message: { tool_calls: this.#toolCalls() }, finish_reason: this.#finish };
  }

  #addPart(part: Delta): void {
    const call = this.#callOf(part);
    call.name += part.function?.name ?? part.custom?.name ?? "";
    call.input += part.function?.arguments ?? part.custom?.input ?? "";
    if (part.type === "custom") call.isCustom = true;
  }

  #callOf({ index, id = "" }: { readonly index?: number; readonly id?: string }): OpenCall {
    const known = this.#known(index, id);
    if (known !== undefined) {
      if (known.id === "") known.id = id;
      return known;
    }
    const call = { id, name: "", input: "", isCustom: false };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  #known(index: number | undefined, id: string): OpenCall | undefined {
    const byId = id === "" ? undefined : this.#calls.find((call) => call.id === id);
    const byIndex = index === undefined ? this.#calls.at(-1) : this.#byIndex.get(index);
    if (byId !== undefined || id === "") return byId ?? byIndex;
    // Another id under a known index is another call.
    return byIndex?.id === "" ? byIndex : undefined;
  }

  #toolCalls(): NonNullable<ChatTurn["message"]["tool_calls"]> {
    return this.#calls.map(({ id, name, input, isCustom }) =>
      isCustom
        ? { id, type: "custom" as const, custom: { name, input } }
        : { id, type: "function" as const, function: { name, arguments: input } },
    );
  }
}
