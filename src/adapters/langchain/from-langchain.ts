import { type MessageContent, ToolMessage } from "@langchain/core/messages";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { type ContentBlock, dataBlock, type ToolChunk, textBlock, toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import { jsonCopy } from "../../lib/frozen-json.ts";
import { isObject } from "../../lib/json.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import { answerChunk, ToolBase } from "../../tool-base.ts";

/** What {@link toolsFromLangchain} takes. */
export interface FromLangchainOptions {
  /** Names of tools that change nothing, so that nobody is asked. */
  readonly readOnly?: readonly string[];
  /** Names of tools that may run beside others. */
  readonly concurrencySafe?: readonly string[];
}

/** What LangChain's tools have in common. */
export interface LangchainToolLike {
  readonly name: string;
  readonly description: string;
  /** A Zod schema or a JSON Schema. */
  readonly schema: unknown;
  invoke(
    call: {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly args: Record<string, unknown>;
    },
    config: { readonly signal: AbortSignal },
  ): Promise<unknown>;
}

/**
 * LangChain's tools as tools of a toolkit, by the names and schemas they have. People are asked about each call unless `readOnly`
 * names the tool.
 * @throws ToolgateError `unsupported` for a schema that can't be given as JSON Schema
 */
export function toolsFromLangchain(
  tools: readonly LangchainToolLike[],
  options: FromLangchainOptions = {},
): readonly ToolBase[] {
  return tools.map((given) => new LangchainTool(given, options));
}

class LangchainTool extends ToolBase {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  override readonly isReadOnly: boolean;
  override readonly isConcurrencySafe: boolean;
  readonly #given: LangchainToolLike;

  constructor(given: LangchainToolLike, { readOnly = [], concurrencySafe = [] }: FromLangchainOptions) {
    super();
    this.#given = given;
    this.name = given.name;
    this.description = given.description;
    this.inputSchema = schemaOf(given);
    this.isReadOnly = readOnly.includes(given.name);
    this.isConcurrencySafe = concurrencySafe.includes(given.name);
  }

  override async call(input: ToolInput, { callId, signal }: CallContext): Promise<ToolChunk> {
    const call = { type: "tool_call", id: callId, name: this.name, args: { ...input } } as const;
    const output: unknown = await this.#given.invoke(call, { signal });
    if (!ToolMessage.isInstance(output)) return answerChunk(output, this.name);
    const { content, status } = output;
    return toolChunk({
      content: blocksOf(content),
      ...(status === "error" ? { state: "error" } : {}),
    });
  }
}

function schemaOf({ name, schema }: LangchainToolLike): JsonSchema {
  try {
    const made = isObject(schema) ? jsonCopy(toJsonSchema(schema, { io: "input" })) : undefined;
    if (isJsonSchema(made)) {
      const { $schema: _draft, ...rest } = made;
      return { type: "object", ...rest };
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolgateError("unsupported", `The schema of ${name} can't be given as JSON Schema: ${why}.`, {
      cause,
    });
  }
  throw new ToolgateError("unsupported", `The schema of ${name} is no JSON Schema.`);
}

function isJsonSchema(schema: unknown): schema is JsonSchema {
  return isObject(schema);
}

function blocksOf(content: MessageContent): ContentBlock[] {
  if (typeof content === "string") return [textBlock(content)];
  return content.map((part) => {
    const given: Record<string, unknown> = { ...part };
    if (given.type === "text" && typeof given.text === "string") return textBlock(given.text);
    const url = isObject(given.image_url) ? given.image_url.url : given.image_url;
    return (typeof url === "string" ? imageBlock(url) : undefined) ?? textBlock(JSON.stringify(part));
  });
}

function imageBlock(url: string): ContentBlock {
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (mediaType !== undefined && data !== undefined) return dataBlock({ type: "base64", mediaType, data });
  return dataBlock({ type: "url", mediaType: "image/*", url });
}
