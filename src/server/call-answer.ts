import type { JsonObject } from "../lib/json.ts";
import type { ServedTools } from "../mcp/tool-server.ts";
import type { ToolResponse } from "../response.ts";

/** A call's answer, with its id. */
export interface CalledTool {
  readonly id: string;
  /** `undefined` when it gave none. */
  readonly response: ToolResponse | undefined;
}

/** Makes a call like any other, and waits for its end. */
export async function callTool(
  tools: ServedTools,
  call: { readonly name: string; readonly input: string | JsonObject },
  signal: AbortSignal,
): Promise<CalledTool> {
  const id = crypto.randomUUID();
  for await (const event of tools.run({ id, ...call }, signal)) {
    if (event.type === "TOOL_RESULT_END") return { id, response: event.response };
  }
  return { id, response: undefined };
}

/** What plain HTTP is answered with. */
export type HttpStatus = 200 | 202 | 400 | 403 | 404 | 409 | 500;

/** A call that ran is a 200, whether it succeeded or not; all that didn't run says why. */
export function answerOf({ id, response }: CalledTool): [body: JsonObject, status: HttpStatus] {
  if (response === undefined) {
    return [{ success: false, call_id: id, error: "The call gave no answer." }, 500];
  }
  const { state, text, metadata } = response;
  const { code, approvalId } = metadata;
  const body = {
    success: state === "success",
    call_id: id,
    state,
    result: text,
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof approvalId === "string" ? { approval_id: approvalId } : {}),
  };
  return [body, statusOf(code, approvalId)];
}

function statusOf(code: unknown, approvalId: unknown): HttpStatus {
  switch (code) {
    case "approval_required":
      // Parked: somebody can still say yes. Without a store nobody can.
      return typeof approvalId === "string" ? 202 : 409;
    case "denied":
    case "confine_unavailable":
      return 403;
    case "unknown_tool":
    case "tool_inactive":
      return 404;
    case "invalid_input":
    case "too_large":
      return 400;
    default:
      return 200;
  }
}
