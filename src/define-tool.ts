import type { ToolChunk } from "./chunk.ts";
import type { PermissionDecision } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { type InputOf, type InputSchema, type SchemaReader, schemaReader } from "./input-schema.ts";
import { after } from "./lib/after.ts";
import type { Json, MaybePromise } from "./lib/json.ts";
import type { PermissionRule } from "./rule.ts";
import type {
  CallContext,
  InputIssue,
  JsonSchema,
  PermissionContext,
  ToolInput,
  ToolOutput,
} from "./tool.ts";
import { answerChunks, ToolBase, type ToolBaseOptions } from "./tool-base.ts";

/** What a plain function may answer, at once or piece by piece. */
export type Answer = Json | ToolChunk;

/** The ways of giving it. */
export type AnswerOutput = Answer | Promise<Answer | AsyncIterable<Answer>> | AsyncIterable<Answer>;

/** What {@link defineTool} takes. */
export interface ToolDefinition<Schema extends InputSchema> extends ToolBaseOptions {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  /** @default false */
  readonly isConcurrencySafe?: boolean;
  /** Changes nothing, so that nobody is asked. @default false */
  readonly isReadOnly?: boolean;
  /** Puts the session's state in `context.state`. @default false */
  readonly isStateInjected?: boolean;
  /** Everything the call will do. Left out, people are asked unless `isReadOnly`. */
  effects?(input: InputOf<Schema>, context: PermissionContext): MaybePromise<readonly Effect[] | undefined>;
  checkPermissions?(input: InputOf<Schema>, context: PermissionContext): MaybePromise<PermissionDecision>;
  checkReadOnly?(input: InputOf<Schema>, context: PermissionContext): MaybePromise<boolean>;
  matchRule?(
    ruleContent: string | null,
    input: InputOf<Schema>,
    context: PermissionContext,
  ): MaybePromise<boolean>;
  generateSuggestions?(
    input: InputOf<Schema>,
    context: PermissionContext,
  ): MaybePromise<readonly PermissionRule[]>;
  /** The work. Left out, the tool is external: carried out by a person or another system. */
  call?(input: InputOf<Schema>, context: CallContext): AnswerOutput;
}

/**
 * Makes a tool from an object; the types of `call` and the other functions follow from `input`.
 * @throws ToolgateError `unsupported` when a Standard Schema can't give a JSON Schema
 */
export function defineTool<const Schema extends InputSchema>(definition: ToolDefinition<Schema>): ToolBase {
  return new DefinedTool(definition);
}

class DefinedTool<Schema extends InputSchema> extends ToolBase {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  override readonly isConcurrencySafe: boolean;
  override readonly isReadOnly: boolean;
  override readonly isExternalTool: boolean;
  override readonly isStateInjected: boolean;
  declare readonly checkInput?: (input: ToolInput) => MaybePromise<readonly InputIssue[]>;
  readonly #definition: ToolDefinition<Schema>;
  readonly #reader: SchemaReader<Schema>;

  constructor(definition: ToolDefinition<Schema>) {
    super(definition);
    this.#definition = definition;
    this.#reader = schemaReader(definition.input, definition.name);
    this.name = definition.name;
    this.description = definition.description;
    this.inputSchema = this.#reader.jsonSchema;
    this.isConcurrencySafe = definition.isConcurrencySafe ?? false;
    this.isReadOnly = definition.isReadOnly ?? false;
    this.isExternalTool = definition.call === undefined;
    this.isStateInjected = definition.isStateInjected ?? false;
    if (this.#reader.check !== undefined) this.checkInput = this.#reader.check;
  }

  override effects(
    input: ToolInput,
    context: PermissionContext,
  ): MaybePromise<readonly Effect[] | undefined> {
    if (this.#definition.effects === undefined) return undefined;
    return after(this.#reader.read(input), (read) => this.#definition.effects?.(read, context));
  }

  override checkPermissions(input: ToolInput, context: PermissionContext): MaybePromise<PermissionDecision> {
    const { checkPermissions } = this.#definition;
    if (checkPermissions === undefined) return super.checkPermissions(input, context);
    return after(this.#reader.read(input), (read) => checkPermissions.call(this.#definition, read, context));
  }

  override checkReadOnly(input: ToolInput, context: PermissionContext): MaybePromise<boolean> {
    const { checkReadOnly } = this.#definition;
    if (checkReadOnly === undefined) return super.checkReadOnly(input, context);
    return after(this.#reader.read(input), (read) => checkReadOnly.call(this.#definition, read, context));
  }

  override matchRule(
    content: string | null,
    input: ToolInput,
    context: PermissionContext,
  ): MaybePromise<boolean> {
    const { matchRule } = this.#definition;
    if (matchRule === undefined || content === null) return super.matchRule(content, input, context);
    return after(this.#reader.read(input), (read) =>
      matchRule.call(this.#definition, content, read, context),
    );
  }

  override generateSuggestions(
    input: ToolInput,
    context: PermissionContext,
  ): MaybePromise<readonly PermissionRule[]> {
    const { generateSuggestions } = this.#definition;
    if (generateSuggestions === undefined) return super.generateSuggestions(input, context);
    return after(this.#reader.read(input), (read) =>
      generateSuggestions.call(this.#definition, read, context),
    );
  }

  override call(input: ToolInput, context: CallContext): ToolOutput {
    if (this.#definition.call === undefined) return super.call(input, context);
    return this.#answer(input, context);
  }

  async #answer(input: ToolInput, context: CallContext): Promise<ToolChunk | AsyncIterable<ToolChunk>> {
    const read = this.#reader.take(input);
    const output = this.#definition.call?.(read instanceof Promise ? await read : read, context);
    return answerChunks(await output, this.name);
  }
}
