import { ToolgateError } from "../errors.ts";
import type { ToolCallBlock } from "../message.ts";
import type { AgentState } from "../state.ts";
import { textResponse } from "./acting.ts";
import type { AgentConfig } from "./config.ts";
import { finishCall, lastTurn, say, usedIds } from "./conversation.ts";
import type { AgentEvent } from "./event.ts";
import { reminder, TASK_HINT, taskHint } from "./hints.ts";
import { modelOnion, type ReasoningStep, reasoningOnion, systemPrompt } from "./middleware.ts";
import { type ModelRequest, requestModel } from "./model.ts";
import { isRefusal } from "./model-failure.ts";
import { type KeptEnd, modelTurn } from "./model-turn.ts";
import { toPrompt } from "./prompt.ts";
import { addUsage } from "./usage.ts";

/**
 * One turn of the model, its message kept in the conversation.
 * @throws what made the turn fail
 */
export async function* reason(
  config: AgentConfig,
  step: ReasoningStep,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { state } = config.toolkit;
  yield* reasoningOnion(config.middlewares, step, () => turn(config, step, signal))();
  if (state.messages.at(-1)?.role === "assistant" || lastTurn(state) !== undefined) return;
  throw new ToolgateError("usage", "A middleware's onReasoning ended without a turn of the model.");
}

async function* turn(
  config: AgentConfig,
  step: ReasoningStep,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, undefined> {
  yield* hints(config);
  const { replyId, iteration } = step;
  yield { type: "MODEL_CALL_START", replyId, modelId: config.model.modelId, iteration };
  const { images } = config;
  const { request, hasImages } = await requestOf(config);
  try {
    yield* attempt(config, request, step, signal);
  } catch (error) {
    if (!hasImages || !isRefusal(error)) throw error;
    // It may be one that takes none, and would refuse this conversation for ever.
    config.images = "none";
    try {
      yield* attempt(config, (await requestOf(config)).request, step, signal);
    } catch {
      config.images = images;
      throw error;
    }
  }
}

function attempt(
  config: AgentConfig,
  request: ModelRequest,
  { replyId }: ReasoningStep,
  signal: AbortSignal,
): AsyncIterable<AgentEvent> {
  const { state } = config.toolkit;
  const truncated: ToolCallBlock[] = [];
  const keep = (message: Parameters<Parameters<typeof modelTurn>[0]["keep"]>[0], end?: KeptEnd): void => {
    state.messages.push(message);
    if (end === undefined) return;
    addUsage(state.usage, end.usage);
    if (state.reply !== undefined) addUsage(state.reply.usage, end.usage);
    for (const block of message.content) {
      if (block.type === "tool_call" && end.truncated.has(block.id)) truncated.push(block);
    }
  };
  const events = modelTurn({
    request,
    send: modelOnion(config.middlewares, (given) => requestModel(config.model, given)),
    signal,
    limits: config.limits,
    replyId,
    usedIds: usedIds(state),
    keep,
  });
  return followedBy(events, () => truncated.flatMap((call) => cutOff(config, call)));
}

async function* followedBy(
  events: AsyncIterable<AgentEvent>,
  more: () => readonly AgentEvent[],
): AsyncGenerator<AgentEvent, void, undefined> {
  yield* events;
  yield* more();
}

/** A call whose arguments aren't all there is never run: half a file would be written, half a command run. */
function cutOff({ toolkit }: AgentConfig, call: ToolCallBlock): readonly AgentEvent[] {
  const text = `${call.name} was not run: its input is cut off. Send it again, in smaller parts if it was too long.`;
  const response = textResponse(call.id, "error", text, "invalid_input");
  finishCall(toolkit.state, call, response);
  const { id: callId, name: toolName } = call;
  return [
    { type: "TOOL_RESULT_START", callId, toolName },
    { type: "TOOL_RESULT_TEXT_DELTA", callId, delta: text },
    { type: "TOOL_RESULT_END", callId, state: "error", response },
  ];
}

async function* hints({ toolkit, taskHints }: AgentConfig): AsyncGenerator<AgentEvent, void, undefined> {
  const { state } = toolkit;
  if (taskHints && toolkit.get("TaskGet") !== undefined) {
    const text = taskHint(state);
    if (text !== undefined) yield hint(state, text, TASK_HINT);
  }
  for (const tool of toolkit.tools) {
    if (tool.news === undefined) continue;
    for (const text of await tool.news(state)) yield hint(state, reminder(text), tool.name);
  }
}

function hint(state: AgentState, text: string, source: string): AgentEvent {
  const blockId = crypto.randomUUID();
  say(state, [{ type: "hint", id: blockId, hint: text, source }]);
  return { type: "HINT_BLOCK", blockId, hint: text, source };
}

async function requestOf(
  config: AgentConfig,
): Promise<{ readonly request: ModelRequest; readonly hasImages: boolean }> {
  const { toolkit, settings, limits, images, middlewares } = config;
  const skills = toolkit.get("Skill") === undefined ? "" : await toolkit.skillInstructions();
  const given = await config.system();
  const system = await systemPrompt(middlewares, [given, skills].filter(Boolean).join("\n\n"));
  const prompt = toPrompt(toolkit.state.messages, { system, images, maxImages: limits.images });
  const tools = toolkit.schemas("ai-sdk");
  const request: ModelRequest = {
    ...settings,
    prompt: prompt.messages,
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ ...tool })) }),
  };
  return { request, hasImages: prompt.hasImages };
}
