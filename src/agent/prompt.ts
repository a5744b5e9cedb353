import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ContentBlock, DataBlock } from "../chunk.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { AssistantMessage, HintBlock, Message, ToolMessage, ToolResultBlock } from "../message.ts";
import { parsedStrictly } from "./strict-json.ts";

/**
 * Where a model is shown the images that tools give: in the result itself, in a message behind it (for providers that take only text in
 * results), or nowhere.
 */
export type ImagePlace = "result" | "message" | "none";

/** How a conversation is put to a model. */
export interface PromptOptions {
  readonly system: string;
  readonly images: ImagePlace;
  /** The newest that are shown; older ones are named only. */
  readonly maxImages: number;
}

/** A conversation as a request holds it. */
export interface Prompt {
  readonly messages: LanguageModelV4Message[];
  readonly hasImages: boolean;
}

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/** What models take, as far as they take images at all. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Turns the conversation into a request's prompt. */
export function toPrompt(messages: readonly Message[], options: PromptOptions): Prompt {
  const shown = shownImages(messages, options);
  const system: LanguageModelV4Message[] =
    options.system === "" ? [] : [{ role: "system", content: options.system }];
  const rest = messages.flatMap((message) => written(message, shown, options.images));
  return { messages: [...system, ...rest], hasImages: shown.size > 0 };
}

function written(
  message: Message,
  shown: ReadonlySet<ContentBlock>,
  images: ImagePlace,
): LanguageModelV4Message[] {
  if (message.role === "assistant") return assistant(message);
  if (message.role === "tool") return results(message, shown, images);
  return [{ role: "user", content: message.content.map((block) => userPart(block, shown)) }];
}

/** The blocks that are shown as images: the newest. */
function shownImages(
  messages: readonly Message[],
  { images, maxImages }: PromptOptions,
): ReadonlySet<ContentBlock> {
  if (images === "none") return new Set();
  const all = messages.flatMap((message) => {
    if (message.role === "user") return message.content.filter(isImage);
    if (message.role === "tool") return message.content.flatMap(({ output }) => output.filter(isImage));
    return [];
  });
  return new Set(maxImages > 0 ? all.slice(-maxImages) : []);
}

function isImage(block: ContentBlock | HintBlock): block is DataBlock {
  return block.type === "data" && IMAGE.test(block.source.mediaType);
}

function userPart(block: ContentBlock | HintBlock, shown: ReadonlySet<ContentBlock>): UserPart {
  if (block.type === "hint") return { type: "text", text: block.hint };
  if (block.type === "text") return { type: "text", text: block.text };
  return shown.has(block) ? filePart(block) : { type: "text", text: named(block) };
}

function filePart({ source, name }: DataBlock): LanguageModelV4FilePart {
  return {
    type: "file",
    mediaType: source.mediaType,
    data:
      source.type === "base64"
        ? { type: "data", data: source.data }
        : { type: "url", url: new URL(source.url) },
    ...(name === undefined ? {} : { filename: name }),
  };
}

/** A block that isn't shown, in words. */
function named({ name, source }: DataBlock): string {
  const what = `${name ?? "data"}, ${source.mediaType}`;
  const size = source.type === "base64" ? `, ${Buffer.byteLength(source.data, "base64")} bytes` : "";
  return `[${what}${size}: not shown here]`;
}

function assistant({ content }: AssistantMessage): LanguageModelV4Message[] {
  const parts = content.flatMap((block): AssistantPart[] => {
    switch (block.type) {
      case "text":
        return block.text === ""
          ? []
          : [{ type: "text", text: block.text, ...providerOptions(block.provider) }];
      case "thinking":
        return [{ type: "reasoning", text: block.thinking, ...providerOptions(block.provider) }];
      case "tool_call": {
        const { id, name, input, provider } = block;
        // A text that isn't an object was answered as such; providers take nothing but objects here.
        const sent = parsedStrictly(input) ?? {};
        return [
          {
            type: "tool-call",
            toolCallId: id,
            toolName: name,
            input: sent,
            ...providerOptions(provider),
          },
        ];
      }
      default:
        return [];
    }
  });
  return parts.length === 0 ? [] : [{ role: "assistant", content: parts }];
}

function providerOptions(provider: JsonObject | undefined): { providerOptions?: SharedV4ProviderOptions } {
  if (provider === undefined) return {};
  const objects = Object.entries(provider).filter(([, value]) => isObject(value));
  // It was the provider's own JSON, one object for each of its names. Entries are defined, so `__proto__` stays a name.
  const options = Object.fromEntries(objects) as SharedV4ProviderOptions;
  return { providerOptions: options };
}

function results(
  { content }: ToolMessage,
  shown: ReadonlySet<ContentBlock>,
  images: ImagePlace,
): LanguageModelV4Message[] {
  if (content.length === 0) return [];
  const message: LanguageModelV4Message = {
    role: "tool",
    content: content.map((result) => resultPart(result, shown, images)),
  };
  if (images !== "message") return [message];
  const behind = content.flatMap(({ output, name }) =>
    output.filter(isImage).flatMap((block): UserPart[] => {
      return shown.has(block)
        ? [
            { type: "text", text: `Image from ${name}${block.name === undefined ? "" : `, ${block.name}`}:` },
            filePart(block),
          ]
        : [];
    }),
  );
  return behind.length === 0 ? [message] : [message, { role: "user", content: behind }];
}

function resultPart(
  { id, name, output, state }: ToolResultBlock,
  shown: ReadonlySet<ContentBlock>,
  images: ImagePlace,
): LanguageModelV4ToolResultPart {
  const base = { type: "tool-result", toolCallId: id, toolName: name } as const;
  if (images === "result" && output.some((block) => shown.has(block))) {
    const value = output.map((block) => {
      if (block.type === "text") return { type: "text" as const, text: block.text };
      return shown.has(block) ? filePart(block) : { type: "text" as const, text: named(block) };
    });
    return { ...base, output: { type: "content", value } };
  }
  const text = output
    .map((block) => {
      if (block.type === "text") return block.text;
      return shown.has(block) ? `[${block.name ?? "image"}: shown below]` : named(block);
    })
    .join("\n");
  const value = text === "" ? "(no output)" : text;
  return { ...base, output: { type: state === "success" ? "text" : "error-text", value } };
}
