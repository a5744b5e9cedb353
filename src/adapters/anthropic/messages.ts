import type {
  Base64ImageSource,
  DocumentBlockParam,
  ImageBlockParam,
  Message,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { ContentBlock, DataBlock } from "../../chunk.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import {
  type AnsweredCall,
  type AnswerOptions,
  answerCalls,
  isCompleteJson,
  NO_OUTPUT,
  type ReadCall,
  rawInput,
} from "../turn.ts";

/** What a model answered: a message, or what a stream came to. */
export interface MessageTurn extends Pick<Message, "content" | "stop_reason"> {
  /** The arguments as they were streamed, by the call's place in `content`. */
  readonly rawInputs?: ReadonlyMap<number, string>;
}

type ResultPart = TextBlockParam | ImageBlockParam | DocumentBlockParam;

/** The toolkit's visible tools as a request's `tools`. */
export function anthropicTools(toolkit: Toolkit): Tool[] {
  return toolkit.schemas("anthropic").map(({ name, description, input_schema }) => {
    return { name, description, input_schema: { ...input_schema, type: "object" } };
  });
}

/** The calls of a message, in order. What is malformed comes along, for the gate to answer. */
export function toolCallsFromMessage({ content, stop_reason, rawInputs }: MessageTurn): ReadCall[] {
  return content.flatMap((block, at) => {
    if (block.type !== "tool_use") return [];
    const raw = rawInputs?.get(at);
    const call = { id: block.id, name: block.name, input: raw ?? rawInput(block.input) };
    const isLast = at === content.length - 1;
    // What a parser made of half a text looks like a whole object: without the text nobody can tell.
    const isCutOff =
      isLast && wasStopped(stop_reason) && (raw === undefined || raw === "" || !isCompleteJson(raw));
    return [isCutOff ? { ...call, isCutOff } : call];
  });
}

/** The `user` message that answers the calls, one `tool_result` each. */
export function toolResultMessage(answers: readonly AnsweredCall[]): MessageParam {
  return { role: "user", content: answers.map(toolResult) };
}

/** Runs a message's calls through the gate and gives the message that answers them all; `undefined` when it has none. */
export async function answerMessage(
  toolkit: Toolkit,
  turn: MessageTurn,
  options: AnswerOptions = {},
): Promise<MessageParam | undefined> {
  const calls = toolCallsFromMessage(turn);
  return calls.length === 0 ? undefined : toolResultMessage(await answerCalls(toolkit, calls, options));
}

function wasStopped(reason: MessageTurn["stop_reason"]): boolean {
  return reason !== "tool_use" && reason !== "end_turn" && reason !== "stop_sequence";
}

function toolResult({ call, response }: AnsweredCall): ToolResultBlockParam {
  const parts = response.content.filter((block) => block.type !== "text" || block.text !== "").map(part);
  const [only] = parts;
  const content = parts.length === 1 && only?.type === "text" ? only.text : parts;
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: content.length === 0 ? NO_OUTPUT : content,
    ...(response.state === "success" ? {} : { is_error: true }),
  };
}

function part(block: ContentBlock): ResultPart {
  return block.type === "text" ? { type: "text", text: block.text } : dataPart(block);
}

function dataPart({ name, source }: DataBlock): ResultPart {
  const { mediaType } = source;
  if (isImageType(mediaType)) {
    if (source.type === "url") return { type: "image", source: { type: "url", url: source.url } };
    return { type: "image", source: { type: "base64", media_type: mediaType, data: source.data } };
  }
  const title = name === undefined ? {} : { title: name };
  if (mediaType === "application/pdf") {
    if (source.type === "url")
      return { type: "document", source: { type: "url", url: source.url }, ...title };
    return {
      type: "document",
      source: { type: "base64", media_type: mediaType, data: source.data },
      ...title,
    };
  }
  const what = name === undefined ? mediaType : `${name} (${mediaType})`;
  return {
    type: "text",
    text: source.type === "url" ? `[${what}: ${source.url}]` : `[${what}: can't be shown here]`,
  };
}

function isImageType(mediaType: string): mediaType is Base64ImageSource["media_type"] {
  return ["image/jpeg", "image/png", "image/gif", "image/webp"].includes(mediaType);
}
