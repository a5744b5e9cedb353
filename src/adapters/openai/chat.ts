import type {
  ChatCompletion,
  ChatCompletionContentPart,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
} from "openai/resources/chat/completions";
import type { DataBlock } from "../../chunk.ts";
import { isObject } from "../../lib/json.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import {
  type AnsweredCall,
  type AnswerOptions,
  answerCalls,
  answerText,
  isCompleteJson,
  type ReadCall,
  rawInput,
} from "../turn.ts";

/** What a model answered: a choice of a completion, or what a stream came to. */
export interface ChatTurn {
  readonly message: Pick<ChatCompletion.Choice["message"], "tool_calls">;
  readonly finish_reason: ChatCompletion.Choice["finish_reason"] | null;
}

/** The toolkit's visible tools as a request's `tools`. */
export function chatTools(toolkit: Toolkit): ChatCompletionFunctionTool[] {
  return toolkit.schemas("openai").map(({ type, function: { name, description, parameters } }) => {
    return { type, function: { name, description, parameters: { ...parameters } } };
  });
}

/** The calls of a model's message, in order. What is malformed comes along, for the gate to answer. */
export function toolCallsFromChat({ message, finish_reason }: ChatTurn): ReadCall[] {
  const calls = (message.tool_calls ?? []).map(readCall);
  if (finish_reason !== "length" && finish_reason !== null) return calls;
  return calls.map((call) => (isCompleteJson(call.input) ? call : { ...call, isCutOff: true }));
}

/** One `tool` message an answer, and a `user` message with what such messages can't carry: images, sounds, files. */
export function toolMessagesForChat(answers: readonly AnsweredCall[]): ChatCompletionMessageParam[] {
  const attached: ChatCompletionContentPart[] = [];
  const messages = answers.map(({ call, response }): ChatCompletionMessageParam => {
    const texts = response.text === "" ? [] : [response.text];
    for (const block of response.content) {
      if (block.type === "text") continue;
      const part = attachment(block);
      if (part === undefined) texts.push(cannotShow(block));
      else {
        texts.push(`[${labelOf(block)}: attached in the message after the results]`);
        attached.push({ type: "text", text: `${labelOf(block)}, from ${call.name} (${call.id}):` }, part);
      }
    }
    const content = texts.length === 0 ? answerText(response) : texts.join("\n");
    return { role: "tool", tool_call_id: call.id, content };
  });
  return attached.length === 0 ? messages : [...messages, { role: "user", content: attached }];
}

/** Runs a message's calls through the gate and gives the messages that answer them all. */
export async function answerChat(
  toolkit: Toolkit,
  turn: ChatTurn,
  options: AnswerOptions = {},
): Promise<ChatCompletionMessageParam[]> {
  return toolMessagesForChat(await answerCalls(toolkit, toolCallsFromChat(turn), options));
}

/** Compatible servers leave fields out that the types have. */
function readCall(call: ChatCompletionMessageToolCall): ReadCall {
  const { id = "" }: { id?: string } = call;
  const custom: unknown = call.type === "custom" ? call.custom : undefined;
  if (isObject(custom)) return { id, name: String(custom.name ?? ""), input: rawInput(custom.input) };
  const called: unknown = call.type === "custom" ? undefined : call.function;
  if (!isObject(called)) return { id, name: "", input: "" };
  return { id, name: String(called.name ?? ""), input: rawInput(called.arguments) };
}

function attachment({ name, source }: DataBlock): ChatCompletionContentPart | undefined {
  const { mediaType } = source;
  const isUrl = source.type === "url";
  if (mediaType.startsWith("image/")) {
    return { type: "image_url", image_url: { url: isUrl ? source.url : dataUrl(source) } };
  }
  if (isUrl) return undefined;
  if (mediaType === "audio/wav" || mediaType === "audio/mpeg") {
    const format = mediaType === "audio/wav" ? "wav" : "mp3";
    return { type: "input_audio", input_audio: { data: source.data, format } };
  }
  if (mediaType !== "application/pdf") return undefined;
  return { type: "file", file: { file_data: dataUrl(source), filename: name ?? "document.pdf" } };
}

function dataUrl({ data, mediaType }: { readonly data: string; readonly mediaType: string }): string {
  return `data:${mediaType};base64,${data}`;
}

function labelOf({ name, source }: DataBlock): string {
  return name ?? source.mediaType;
}

function cannotShow({ name, source }: DataBlock): string {
  const what = name === undefined ? source.mediaType : `${name} (${source.mediaType})`;
  return source.type === "url" ? `[${what}: ${source.url}]` : `[${what}: can't be shown here]`;
}
