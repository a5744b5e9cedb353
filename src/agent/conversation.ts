import type { ContentBlock } from "../chunk.ts";
import type { AssistantMessage, HintBlock, ToolCallBlock, ToolMessage, ToolResultBlock } from "../message.ts";
import type { ToolResponse } from "../response.ts";
import type { AgentState } from "../state.ts";

/** The model's last message, if nothing was said since but the results of its calls. */
export function lastTurn({ messages }: AgentState): AssistantMessage | undefined {
  const last = messages.at(-1);
  const turn = last?.role === "tool" ? messages.at(-2) : last;
  return turn?.role === "assistant" ? turn : undefined;
}

/** The model's last calls that have no result yet. */
export function openCalls(state: AgentState): readonly ToolCallBlock[] {
  const turn = lastTurn(state);
  if (turn === undefined) return [];
  return turn.content.filter(
    (block): block is ToolCallBlock => block.type === "tool_call" && block.state !== "finished",
  );
}

/** Ids of all calls so far. */
export function usedIds({ messages }: AgentState): Set<string> {
  const ids = new Set<string>();
  for (const { role, content } of messages) {
    if (role === "assistant") for (const block of content) if (block.type === "tool_call") ids.add(block.id);
  }
  return ids;
}

/** Adds what a person, or the program on its own, says. */
export function say(state: AgentState, content: readonly (ContentBlock | HintBlock)[]): void {
  const createdAt = new Date().toISOString();
  state.messages.push({ id: crypto.randomUUID(), role: "user", createdAt, content });
}

/** Gives a call its result: it waits for nobody any more. */
export function finishCall(state: AgentState, call: ToolCallBlock, response: ToolResponse): void {
  const { content, state: outcome, metadata } = response;
  const result: ToolResultBlock = {
    type: "tool_result",
    id: call.id,
    name: call.name,
    output: content,
    state: outcome,
    metadata,
  };
  call.state = "finished";
  unpark(state, call.id);
  resultsOf(state).content.push(result);
}

/** A person changed what runs: that is what the model is to see. */
export function editCall(call: ToolCallBlock, input: string): void {
  call.input = input;
  call.edited = true;
}

/** A call waits for nobody any more. */
export function unpark(state: AgentState, callId: string): void {
  const at = state.parked.findIndex((one) => one.callId === callId);
  if (at >= 0) state.parked.splice(at, 1);
}

function resultsOf(state: AgentState): ToolMessage {
  const last = state.messages.at(-1);
  if (last?.role === "tool") return last;
  const message: ToolMessage = {
    id: crypto.randomUUID(),
    role: "tool",
    createdAt: new Date().toISOString(),
    content: [],
  };
  state.messages.push(message);
  return message;
}
