import type { ToolChunk } from "../chunk.ts";
import { isToolgateError } from "../errors.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import { ToolResponse } from "../response.ts";
import { Answer } from "./answer.ts";
import type { Gate } from "./gate.ts";
import { Trail } from "./trail.ts";

/**
 * Takes the outcome of a call that was handed over to somebody else before: kept within limits, shown and recorded like any
 * answer. It has happened, so nothing is judged any more. Never rejects.
 */
export async function deliver(
  gate: Gate,
  { id: callId, name: toolName }: ToolCall,
  chunk: ToolChunk,
  emit?: (event: GateEvent) => void,
): Promise<ToolResponse> {
  const answer = new Answer({ callId, toolName, limits: gate.limits, emit });
  const trail = new Trail(gate, callId, toolName);
  let response: ToolResponse;
  try {
    answer.begin(await gate.backendOf(gate.find(toolName)), false);
    await answer.take(chunk);
    response = await answer.finish(undefined);
  } catch (error) {
    const code = isToolgateError(error) ? error.code : "internal";
    const text = error instanceof Error ? error.message : String(error);
    response = await answer.finish({ state: "error", text, metadata: { code, message: text } });
  }
  const why = await trail.finished(response.state, answer.size);
  const { id, content, state, metadata } = response;
  const final =
    why === undefined ? response : new ToolResponse(id, content, state, { ...metadata, auditError: why });
  emit?.({ type: "TOOL_RESULT_END", callId, state: final.state, response: final });
  return final;
}
