import type { ContentBlock, DataBlock, ResultState, TextBlock } from "./chunk.ts";
import type { Suggestion } from "./decision.ts";
import type { JsonObject } from "./lib/json.ts";

/** What a provider wants back as it gave it: signatures of thoughts, ids of items. */
interface Provided {
  readonly provider?: JsonObject;
}

/** What a model wrote. */
export type WrittenBlock = TextBlock & Provided;

/** What a model thought before it wrote. */
export interface ThinkingBlock extends Provided {
  readonly type: "thinking";
  readonly id: string;
  readonly thinking: string;
}

/** Something the model is told that no person wrote. */
export interface HintBlock {
  readonly type: "hint";
  readonly id: string;
  readonly hint: string;
  /** Where it comes from: `tasks`, or a middleware's name. */
  readonly source: string;
}

/**
 * How a call stands. `pending` was not begun; `asking` waits for a person; `submitted` is carried out elsewhere; `finished` has
 * its result.
 */
export type CallState = "pending" | "asking" | "submitted" | "finished";

/** A call that a model made. */
export interface ToolCallBlock extends Provided {
  readonly type: "tool_call";
  /** One of its kind in the session. */
  readonly id: string;
  readonly name: string;
  /** The model's JSON text; a person's, when they changed it before it ran. */
  input: string;
  state: CallState;
  /** A person changed the input. */
  edited?: boolean;
}

/** What came of a call. */
export interface ToolResultBlock {
  readonly type: "tool_result";
  /** The call's. */
  readonly id: string;
  readonly name: string;
  readonly output: readonly ContentBlock[];
  readonly state: Exclude<ResultState, "running">;
  readonly metadata: JsonObject;
}

/** What every message has. */
interface MessageBase {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** What a person, or the program on its own, said. */
export interface UserMessage extends MessageBase {
  readonly role: "user";
  readonly content: readonly (ContentBlock | HintBlock)[];
}

/** What one call of the model gave. */
export interface AssistantMessage extends MessageBase {
  readonly role: "assistant";
  readonly content: (WrittenBlock | ThinkingBlock | DataBlock | ToolCallBlock)[];
}

/** The results of the calls of the assistant's message before it, in the order they came. */
export interface ToolMessage extends MessageBase {
  readonly role: "tool";
  readonly content: ToolResultBlock[];
}

/** One message of a conversation. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** Tokens, as far as the provider counted them. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  reasoningTokens: number;
  modelCalls: number;
}

/** A call that waits for somebody. */
export interface ParkedCall {
  readonly callId: string;
  readonly toolName: string;
  /** A person's yes or no, or the result of what is carried out elsewhere. */
  readonly waitsFor: "approval" | "result";
  /** What runs, or is carried out: checked. */
  readonly input: JsonObject;
  /** Why it has to be asked, in words. */
  readonly message?: string;
  /** A safety question: no rule settles it. */
  readonly bypassImmune?: boolean;
  /** What was judged, to tell whether the same is asked again. */
  readonly effects?: string;
  /** Rules that would settle it. */
  readonly suggestions?: readonly Suggestion[];
  /** Set when it is asked again: what has changed since it was answered. */
  readonly why?: string;
  /** In the store, when there is one. */
  readonly approvalId?: string;
  readonly recordId?: string;
}

/** A reply that isn't finished: its calls wait for somebody, or its process ended. */
export interface OpenReply {
  readonly id: string;
  /** Rounds of which every call has its result. */
  iterations: number;
  readonly usage: Usage;
}
