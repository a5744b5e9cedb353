import { asSchema, type ToolSet } from "ai";
import { type ContentBlock, dataBlock, type ToolChunk, textBlock, toolChunk } from "../../chunk.ts";
import type { PermissionDecision } from "../../decision.ts";
import { ToolgateError } from "../../errors.ts";
import { jsonCopy } from "../../lib/frozen-json.ts";
import { isObject } from "../../lib/json.ts";
import type { CallContext, InputIssue, JsonSchema, PermissionContext, ToolInput } from "../../tool.ts";
import { answerChunk, ToolBase } from "../../tool-base.ts";

/** What {@link toolsFromAiSdk} takes. */
export interface FromAiSdkOptions {
  /** Names of tools that change nothing, so that nobody is asked. */
  readonly readOnly?: readonly string[];
  /** Names of tools that may run beside others. */
  readonly concurrencySafe?: readonly string[];
  /** What the tools are given as `context`, by tool name. */
  readonly toolsContext?: Readonly<Record<string, unknown>>;
}

type SdkTool = ToolSet[string];

/**
 * The AI SDK's tools as tools of a toolkit, by the names and schemas they have. People are asked about each call unless `readOnly`
 * names the tool; a tool's own `needsApproval` can only be answered by a person. A tool without `execute` is external.
 * @throws ToolgateError `unsupported` for tools that the provider runs, and schemas that can't be given as JSON Schema
 */
export async function toolsFromAiSdk(
  tools: ToolSet,
  options: FromAiSdkOptions = {},
): Promise<readonly ToolBase[]> {
  return Promise.all(Object.entries(tools).map(([name, given]) => wrap(name, given, options)));
}

async function wrap(name: string, given: SdkTool, options: FromAiSdkOptions): Promise<ToolBase> {
  if (given.type === "provider" && given.isProviderExecuted) {
    throw new ToolgateError(
      "unsupported",
      `${name} is run by the model's provider; no gate can be put before it.`,
    );
  }
  const schema: unknown = jsonCopy(await asSchema(given.inputSchema).jsonSchema);
  if (!isJsonSchema(schema))
    throw new ToolgateError("unsupported", `The schema of ${name} is no JSON Schema.`);
  return new AiSdkTool(name, given, schema, options);
}

class AiSdkTool extends ToolBase {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  override readonly isReadOnly: boolean;
  override readonly isConcurrencySafe: boolean;
  override readonly isExternalTool: boolean;
  readonly #given: SdkTool;
  readonly #context: unknown;

  constructor(name: string, given: SdkTool, schema: JsonSchema, options: FromAiSdkOptions) {
    super();
    const { readOnly = [], concurrencySafe = [], toolsContext = {} } = options;
    this.#given = given;
    this.#context = Object.hasOwn(toolsContext, name) ? toolsContext[name] : undefined;
    this.name = name;
    this.description = descriptionOf(given, this.#context);
    this.inputSchema = schema;
    this.isReadOnly = readOnly.includes(name);
    this.isConcurrencySafe = concurrencySafe.includes(name);
    this.isExternalTool = given.execute === undefined;
  }

  async checkInput(input: ToolInput): Promise<readonly InputIssue[]> {
    const checked = await asSchema(this.#given.inputSchema).validate?.(input);
    return checked === undefined || checked.success ? [] : [{ path: "", message: checked.error.message }];
  }

  override async checkReadOnly(input: ToolInput, _context: PermissionContext): Promise<boolean> {
    return this.isReadOnly && !(await this.#needsApproval(input));
  }

  override async checkPermissions(input: ToolInput, context: PermissionContext): Promise<PermissionDecision> {
    if (!(await this.#needsApproval(input))) return super.checkPermissions(input, context);
    return { behavior: "ask", message: `${this.name} asks for a person's approval.`, bypassImmune: true };
  }

  override async call(input: ToolInput, context: CallContext): Promise<ToolChunk> {
    const { execute, inputSchema, toModelOutput } = this.#given;
    const { callId: toolCallId, signal: abortSignal } = context;
    if (execute === undefined) throw new ToolgateError("external", `${this.name} is carried out elsewhere.`);
    const checked = await asSchema(inputSchema).validate?.(input);
    // Standard Schemas may give other values than they take: defaults, dates.
    const value: unknown = checked?.success ? checked.value : { ...input };
    const options = { toolCallId, messages: [], abortSignal, context: this.#context };
    const output = await lastOf(execute(value, options), context);
    if (toModelOutput === undefined) return answerChunk(output, this.name);
    return fromModelOutput(await toModelOutput({ toolCallId, input: value, output }));
  }

  async #needsApproval(input: ToolInput): Promise<boolean> {
    const { needsApproval } = this.#given;
    if (typeof needsApproval !== "function") return needsApproval === true;
    return needsApproval({ ...input }, { toolCallId: "", messages: [], context: this.#context });
  }
}

/** Of a stream the last value is the result; those before say how it goes. */
async function lastOf(output: unknown, { progress }: CallContext): Promise<unknown> {
  if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  let count = 0;
  for await (const value of output as AsyncIterable<unknown>) {
    count += 1;
    progress(typeof value === "string" ? value.slice(0, 200) : `Result ${count}`);
    last = value;
  }
  return last;
}

function descriptionOf({ description }: SdkTool, context: unknown): string {
  return (typeof description === "function" ? description({ context }) : description) ?? "";
}

function isJsonSchema(schema: unknown): schema is JsonSchema {
  return isObject(schema);
}

function fromModelOutput(output: Awaited<ReturnType<NonNullable<SdkTool["toModelOutput"]>>>): ToolChunk {
  switch (output.type) {
    case "text":
      return toolChunk({ text: output.value });
    case "error-text":
      return toolChunk({ text: output.value, state: "error" });
    case "error-json":
      return toolChunk({ text: JSON.stringify(output.value), state: "error" });
    case "execution-denied":
      return toolChunk({ text: output.reason ?? "It was refused.", state: "denied" });
    case "content":
      return toolChunk({ content: output.value.map(blockOf) });
    default:
      return toolChunk({ text: JSON.stringify(output.value) });
  }
}

function blockOf(
  part: Extract<Parameters<typeof fromModelOutput>[0], { type: "content" }>["value"][number],
): ContentBlock {
  if (part.type === "text") return textBlock(part.text);
  if (part.type === "file") return fileBlock(part);
  if (part.type === "file-data" || part.type === "image-data") {
    return dataBlock({ type: "base64", data: part.data, mediaType: part.mediaType });
  }
  if (part.type === "file-url" || part.type === "image-url") {
    const mediaType = "mediaType" in part ? part.mediaType : undefined;
    return dataBlock({ type: "url", url: part.url, mediaType: mediaType ?? "application/octet-stream" });
  }
  return textBlock(JSON.stringify(part));
}

type FilePart = Extract<Parameters<typeof blockOf>[0], { type: "file" }>;

function fileBlock({ data, mediaType, filename }: FilePart): ContentBlock {
  if (data.type === "text") return textBlock(data.text);
  if (data.type === "url") return dataBlock({ type: "url", url: String(data.url), mediaType }, filename);
  if (data.type === "reference") return textBlock(JSON.stringify(data.reference));
  const base64 =
    typeof data.data === "string" ? data.data : Buffer.from(bytesOf(data.data)).toString("base64");
  return dataBlock({ type: "base64", data: base64, mediaType }, filename);
}

function bytesOf(data: ArrayBuffer | Uint8Array): Uint8Array {
  return data instanceof Uint8Array ? data : new Uint8Array(data);
}
