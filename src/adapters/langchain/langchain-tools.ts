import { type MessageContent, ToolMessage } from "@langchain/core/messages";
import {
  DynamicStructuredTool,
  ToolInputParsingException,
  type ToolRunnableConfig,
} from "@langchain/core/tools";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ToolResponse } from "../../response.ts";
import type { Approver } from "../../tool.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import { Lane } from "../lane.ts";
import { answerText, rawInput } from "../turn.ts";

/** What {@link langchainTools} takes. */
export interface LangchainOptions {
  /** Puts what has to be asked to a person. @default the toolkit's */
  readonly approver?: Approver;
}

/**
 * The toolkit's visible tools as LangChain's. Each call runs through the gate, alone where its tool may not run beside others. What
 * a model did wrong comes back as a `ToolMessage` of status `error`; the call's state and metadata are its `artifact`.
 */
export function langchainTools(toolkit: Toolkit, options: LangchainOptions = {}): DynamicStructuredTool[] {
  const lane = new Lane();
  const answer = async (name: string, input: unknown, config: ToolRunnableConfig = {}): Promise<unknown> => {
    const { toolCall, signal } = config;
    const leave = await lane.enter(toolkit.get(name)?.isConcurrencySafe === true);
    try {
      const response = await toolkit.execute(name, rawInput(input), {
        ...options,
        ...(toolCall?.id === undefined || toolCall.id === "" ? {} : { id: toolCall.id }),
        ...(signal === undefined ? {} : { signal }),
      });
      return toolCall?.id === undefined ? contentOf(response) : message(name, toolCall.id, response);
    } finally {
      leave();
    }
  };
  return toolkit.schemas("ai-sdk").map(({ name, description, inputSchema }) => {
    return langchainTool(name, description, inputSchema, answer);
  });
}

type AnswerCall = (name: string, input: unknown, config?: ToolRunnableConfig) => Promise<unknown>;

function langchainTool(
  name: string,
  description: string,
  schema: JsonObject,
  answer: AnswerCall,
): DynamicStructuredTool {
  const made = new DynamicStructuredTool({
    name,
    description,
    schema: { ...schema },
    func: (input: unknown, _manager: unknown, config?: ToolRunnableConfig) => answer(name, input, config),
  });
  // LangChain throws for arguments that don't fit, before the tool is asked. The gate says more, to the model.
  const call = made.call.bind(made);
  const answering = async (
    arg: Parameters<typeof call>[0],
    config?: ToolRunnableConfig,
    tags?: string[],
  ): Promise<unknown> => {
    try {
      return await call(arg, config, tags);
    } catch (error) {
      if (!(error instanceof ToolInputParsingException)) throw error;
      const given: unknown = arg;
      const isCall = isObject(given) && given.type === "tool_call" && isObject(given.args);
      return answer(name, isCall ? given.args : given, config);
    }
  };
  return Object.defineProperty(made, "call", { value: answering });
}

function message(name: string, id: string, response: ToolResponse): ToolMessage {
  const { state, metadata } = response;
  return new ToolMessage({
    name,
    tool_call_id: id,
    content: contentOf(response),
    status: state === "success" ? "success" : "error",
    artifact: { state, metadata },
  });
}

function contentOf(response: ToolResponse): MessageContent {
  if (response.content.every(({ type }) => type === "text")) return answerText(response);
  return response.content.map((block) => {
    if (block.type === "text") return { type: "text", text: block.text };
    const { name, source } = block;
    const url = source.type === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
    if (source.mediaType.startsWith("image/")) return { type: "image_url", image_url: { url } };
    const what = name === undefined ? source.mediaType : `${name} (${source.mediaType})`;
    return {
      type: "text",
      text: source.type === "url" ? `[${what}: ${url}]` : `[${what}: can't be shown here]`,
    };
  });
}
