import type {
  FunctionTool,
  Response,
  ResponseFunctionCallOutputItem,
  ResponseInputItem,
  ResponseOutputItem,
} from "openai/resources/responses/responses";
import type { ContentBlock, DataBlock } from "../../chunk.ts";
import type { ToolResponse } from "../../response.ts";
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

/** What a model answered: a response, or what a stream came to. */
export type ResponseTurn = Pick<Response, "output" | "status">;

/** The toolkit's visible tools as a request's `tools`. */
export function responseTools(toolkit: Toolkit): FunctionTool[] {
  return toolkit.schemas("openai").map(({ function: { name, description, parameters } }) => {
    // Strict schemas can't have optional members; the gate checks inputs itself.
    return { type: "function", name, description, parameters: { ...parameters }, strict: false };
  });
}

/** The calls of a response, in order. What is malformed comes along, for the gate to answer. */
export function toolCallsFromResponse({ output, status }: ResponseTurn): ReadCall[] {
  return (output ?? []).flatMap((item) => readItem(item, status !== "completed"));
}

/** One output item an answer, to be sent as the next request's `input`. */
export function toolOutputsForResponse(answers: readonly AnsweredCall[]): ResponseInputItem[] {
  return answers.map(({ call, response }) => {
    const answer = { call_id: call.id, output: outputOf(response) };
    if (call.isCustom !== true) return { type: "function_call_output", ...answer };
    return { type: "custom_tool_call_output", call_id: call.id, output: answerText(response) };
  });
}

/** Runs a response's calls through the gate and gives the items that answer them all. */
export async function answerResponse(
  toolkit: Toolkit,
  turn: ResponseTurn,
  options: AnswerOptions = {},
): Promise<ResponseInputItem[]> {
  return toolOutputsForResponse(await answerCalls(toolkit, toolCallsFromResponse(turn), options));
}

function readItem(item: ResponseOutputItem, mayBeCut: boolean): ReadCall[] {
  if (item.type === "custom_tool_call") {
    const call = {
      id: item.call_id ?? "",
      name: item.name ?? "",
      input: rawInput(item.input),
      isCustom: true,
    };
    return [mayBeCut && !isCompleteJson(call.input) ? { ...call, isCutOff: true } : call];
  }
  if (item.type !== "function_call") return [];
  const call = { id: item.call_id ?? "", name: item.name ?? "", input: rawInput(item.arguments) };
  const isOpen = mayBeCut || (item.status !== undefined && item.status !== "completed");
  return [isOpen && !isCompleteJson(call.input) ? { ...call, isCutOff: true } : call];
}

function outputOf(response: ToolResponse): string | ResponseFunctionCallOutputItem[] {
  if (response.content.every(({ type }) => type === "text")) return answerText(response);
  return response.content.map(outputItem);
}

function outputItem(block: ContentBlock): ResponseFunctionCallOutputItem {
  if (block.type === "text") return { type: "input_text", text: block.text };
  const { mediaType } = block.source;
  if (mediaType.startsWith("image/")) return { type: "input_image", detail: "auto", image_url: urlOf(block) };
  if (block.source.type === "url") return { type: "input_file", file_url: block.source.url };
  return { type: "input_file", filename: block.name ?? "file", file_data: urlOf(block) };
}

function urlOf({ source }: DataBlock): string {
  return source.type === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}
