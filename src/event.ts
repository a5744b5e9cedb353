import type { DataBlock, ResultState } from "./chunk.ts";
import type { PermissionDecision } from "./decision.ts";
import type { JsonObject } from "./lib/json.ts";
import type { ToolResponse } from "./response.ts";
import type { ApprovalRequest, ToolInput } from "./tool.ts";

/** A call as a caller hands it in. `input` is the model's raw JSON text, or an object. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: string | JsonObject;
}

/**
 * What happens to a call, in order. Type strings are AgentScope's where it has one.
 * Each call ends with exactly one `TOOL_RESULT_END`, or with `TOOL_CALL_PARKED` where a store keeps what it waits for.
 */
export type GateEvent =
  | { readonly type: "TOOL_CALL_DECIDED"; readonly callId: string; readonly decision: PermissionDecision }
  | { readonly type: "REQUIRE_USER_CONFIRM"; readonly callId: string; readonly request: ApprovalRequest }
  | {
      readonly type: "REQUIRE_EXTERNAL_EXECUTION";
      readonly callId: string;
      readonly toolName: string;
      readonly input: ToolInput;
      /** The call's record in the store, where the result can be handed in; absent without a store. */
      readonly recordId?: string;
    }
  | {
      /** It has no result yet: the toolkit's `resume` or `resumeCall` goes on with it, in whatever process. */
      readonly type: "TOOL_CALL_PARKED";
      readonly callId: string;
      readonly toolName: string;
      /** What it waits for: an answer to this question, … */
      readonly approvalId?: string;
      /** … the result of this external call; or, with neither, a call before it in the turn: it was not begun. */
      readonly recordId?: string;
    }
  | { readonly type: "TOOL_RESULT_START"; readonly callId: string; readonly toolName: string }
  | { readonly type: "TOOL_RESULT_TEXT_DELTA"; readonly callId: string; readonly delta: string }
  | { readonly type: "TOOL_RESULT_DATA_DELTA"; readonly callId: string; readonly block: DataBlock }
  | {
      readonly type: "TOOL_PROGRESS";
      readonly callId: string;
      readonly message: string;
      readonly done?: number;
      readonly total?: number;
    }
  | {
      readonly type: "TOOL_RESULT_END";
      readonly callId: string;
      readonly state: Exclude<ResultState, "running">;
      readonly response: ToolResponse;
    };
