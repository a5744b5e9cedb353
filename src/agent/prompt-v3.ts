import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";

type AssistantPart = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];
type ToolPart = Extract<LanguageModelV3Message, { role: "tool" }>["content"][number];

/** The same request as models of the version before take it: files are written otherwise there. */
export function forVersion3(request: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  const { prompt, reasoning: _unknownThere, ...rest } = request;
  return { ...rest, prompt: prompt.map(message) };
}

function message(given: LanguageModelV4Message): LanguageModelV3Message {
  switch (given.role) {
    case "system":
      return given;
    case "user":
      return { ...given, content: given.content.map((part) => (part.type === "file" ? file(part) : part)) };
    case "assistant":
      return { ...given, content: given.content.flatMap(assistantPart) };
    case "tool":
      return { ...given, content: given.content.map(toolPart) };
  }
}

function assistantPart(
  part: Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number],
): AssistantPart[] {
  if (part.type === "file") return [file(part)];
  if (part.type === "tool-result") return [{ ...part, output: output(part.output) }];
  if (part.type === "custom" || part.type === "reasoning-file") return [];
  return [part];
}

function toolPart(part: Extract<LanguageModelV4Message, { role: "tool" }>["content"][number]): ToolPart {
  return part.type === "tool-result" ? { ...part, output: output(part.output) } : part;
}

function file({ data, ...rest }: LanguageModelV4FilePart): LanguageModelV3FilePart {
  switch (data.type) {
    case "data":
      return { ...rest, data: data.data };
    case "url":
      return { ...rest, data: data.url };
    case "text":
      return { ...rest, data: Buffer.from(data.text).toString("base64") };
    case "reference":
      return { ...rest, data: "" };
  }
}

function output(given: LanguageModelV4ToolResultOutput): LanguageModelV3ToolResultOutput {
  if (given.type !== "content") return given;
  return {
    type: "content",
    value: given.value.map((part) => {
      if (part.type !== "file") return part;
      const { mediaType, data } = part;
      if (data.type === "url") return { type: "image-url", url: data.url.href };
      const text = data.type === "data" ? data.data : "";
      return {
        type: "image-data",
        data: typeof text === "string" ? text : Buffer.from(text).toString("base64"),
        mediaType,
      };
    }),
  };
}
