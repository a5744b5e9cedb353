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
 * Each call ends with exactly one `TOOL_RESULT_END`.
 */
export type GateEvent =
  | { readonly type: "TOOL_CALL_DECIDED"; readonly callId: string; readonly decision: PermissionDecision }
  | { readonly type: "REQUIRE_USER_CONFIRM"; readonly callId: string; readonly request: ApprovalRequest }
  | {
      readonly type: "REQUIRE_EXTERNAL_EXECUTION";
      readonly callId: string;
      readonly toolName: string;
      readonly input: ToolInput;
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
