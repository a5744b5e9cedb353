import type { ContentBlock, DataBlock, ResultState } from "../chunk.ts";
import type { GateEvent } from "../event.ts";
import type { JsonObject } from "../lib/json.ts";
import type { AssistantMessage, ParkedCall, Usage } from "../message.ts";
import type { RuleInput } from "../toolkit/options.ts";

/**
 * Why a reply ended. `parked` isn't an end: it waits for somebody, and the next `reply` with their answer goes on with it.
 */
export type ReplyReason = "completed" | "interrupted" | "exceed_max_iters" | "error" | "parked";

/** What went wrong, for programs and people. */
export interface ReplyError {
  /** One of the error codes, or `model_failed`. */
  readonly code: string;
  readonly message: string;
  /** The provider's HTTP status, if it gave one. */
  readonly status?: number;
}

/** What a reply came to. */
export interface AgentReply {
  readonly id: string;
  readonly reason: ReplyReason;
  /** The model's last message; absent when it said nothing. */
  readonly message?: AssistantMessage;
  /** Its text. */
  readonly text: string;
  /** What it waits for, when parked. */
  readonly waiting: readonly ParkedCall[];
  /** Of this reply, over all its processes. */
  readonly usage: Usage;
  readonly error?: ReplyError;
}

/** What happens in a reply, in order. Type strings are AgentScope's where it has one. */
export type AgentEvent =
  | { readonly type: "REPLY_START"; readonly replyId: string; readonly resumed: boolean }
  | {
      readonly type: "REPLY_END";
      readonly replyId: string;
      readonly reason: Exclude<ReplyReason, "parked">;
      readonly usage: Usage;
      readonly error?: ReplyError;
    }
  /** The stream ends here and the reply doesn't: its calls wait for somebody. */
  | { readonly type: "REPLY_PARKED"; readonly replyId: string; readonly waiting: readonly ParkedCall[] }
  | { readonly type: "HINT_BLOCK"; readonly blockId: string; readonly hint: string; readonly source: string }
  | {
      readonly type: "MODEL_CALL_START";
      readonly replyId: string;
      readonly modelId: string;
      readonly iteration: number;
    }
  /** The call failed before it gave anything, and is made again after a while. */
  | {
      readonly type: "MODEL_CALL_RETRY";
      readonly replyId: string;
      readonly attempt: number;
      readonly delayMs: number;
      readonly message: string;
    }
  | {
      readonly type: "MODEL_CALL_END";
      readonly replyId: string;
      readonly usage: Usage;
      readonly finishReason: string;
    }
  | { readonly type: "TEXT_BLOCK_START"; readonly blockId: string }
  | { readonly type: "TEXT_BLOCK_DELTA"; readonly blockId: string; readonly delta: string }
  | { readonly type: "TEXT_BLOCK_END"; readonly blockId: string }
  | { readonly type: "THINKING_BLOCK_START"; readonly blockId: string }
  | { readonly type: "THINKING_BLOCK_DELTA"; readonly blockId: string; readonly delta: string }
  | { readonly type: "THINKING_BLOCK_END"; readonly blockId: string }
  | { readonly type: "DATA_BLOCK_START"; readonly blockId: string; readonly mediaType: string }
  | { readonly type: "DATA_BLOCK_DELTA"; readonly blockId: string; readonly block: DataBlock }
  | { readonly type: "DATA_BLOCK_END"; readonly blockId: string }
  | { readonly type: "TOOL_CALL_START"; readonly callId: string; readonly toolName: string }
  | { readonly type: "TOOL_CALL_DELTA"; readonly callId: string; readonly delta: string }
  | {
      readonly type: "TOOL_CALL_END";
      readonly callId: string;
      readonly toolName: string;
      readonly input: string;
    }
  | Exclude<GateEvent, { readonly type: "TOOL_CALL_PARKED" }>
  /** A middleware's own. */
  | { readonly type: "CUSTOM"; readonly name: string; readonly value: JsonObject };

/** A person's answer to one call that was asked about. */
export interface ConfirmResult {
  readonly callId: string;
  readonly confirmed: boolean;
  /** Who says so. @default "user" */
  readonly by?: string;
  /** Replaces the call's input, which is then checked and judged like any other. Only with a yes. */
  readonly input?: JsonObject;
  /** If given, has to be the call's: what was asked about can't become something else. */
  readonly toolName?: string;
  /** Rules for the rest of the session. */
  readonly rules?: readonly RuleInput[];
  /** For the model: what is wanted instead. Only with a no. */
  readonly feedback?: string;
}

/** What came of one call that was carried out elsewhere. */
export interface ExternalResult {
  readonly callId: string;
  readonly content: string | readonly ContentBlock[];
  /** @default "success" */
  readonly state?: Exclude<ResultState, "running">;
  readonly metadata?: JsonObject;
}

/** Answers to `REQUIRE_USER_CONFIRM`: to all that wait or to some, in any order. */
export interface UserConfirmResult {
  readonly type: "USER_CONFIRM_RESULT";
  readonly results: readonly ConfirmResult[];
}

/** Answers to `REQUIRE_EXTERNAL_EXECUTION`: to all that wait or to some, in any order. */
export interface ExternalExecutionResult {
  readonly type: "EXTERNAL_EXECUTION_RESULT";
  readonly results: readonly ExternalResult[];
}

/** Ends a parked reply: what waits is given up. */
export interface UserInterrupt {
  readonly type: "USER_INTERRUPT";
}

/**
 * What a reply is made to: a person's message, or an answer to what an earlier one waits for. With nothing it goes on where the
 * session stands: after a crash, or when a question was answered in the store.
 */
export type AgentInput =
  | string
  | readonly ContentBlock[]
  | UserConfirmResult
  | ExternalExecutionResult
  | UserInterrupt;
