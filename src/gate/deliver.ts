import type { ToolChunk } from "../chunk.ts";
import { isToolgateError } from "../errors.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import { ToolResponse } from "../response.ts";
import { Answer } from "./answer.ts";
import type { Gate } from "./gate.ts";
import { Trail } from "./trail.ts";
import { watched } from "./watched.ts";

/**
 * Takes the outcome of a call that was handed over to somebody else before: kept within limits, shown and recorded like any
 * answer. It has happened, so nothing is judged any more. Never rejects.
 */
export function deliver(
  gate: Gate,
  call: ToolCall,
  chunk: ToolChunk,
  emit?: (event: GateEvent) => void,
): Promise<ToolResponse> {
  return watched(gate.observers ?? [], call, gate.state, emit, (tell) => take(gate, call, chunk, tell));
}

async function take(
  gate: Gate,
  { id: callId, name: toolName }: ToolCall,
  chunk: ToolChunk,
  emit: ((event: GateEvent) => void) | undefined,
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
  const why = await trail.finished(response, answer.size);
  const { id, content, state, metadata } = response;
  const final =
    why === undefined ? response : new ToolResponse(id, content, state, { ...metadata, auditError: why });
  emit?.({ type: "TOOL_RESULT_END", callId, state: final.state, response: final });
  return final;
}
