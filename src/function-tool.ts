import type { PermissionDecision } from "./decision.ts";
import type { AnswerOutput } from "./define-tool.ts";
import { ToolgateError } from "./errors.ts";
import { type InputSchema, type SchemaReader, schemaReader } from "./input-schema.ts";
import { isObject, type MaybePromise } from "./lib/json.ts";
import type {
  CallContext,
  InputIssue,
  JsonSchema,
  PermissionContext,
  ToolInput,
  ToolOutput,
} from "./tool.ts";
import { answerChunks, ToolBase, type ToolBaseOptions } from "./tool-base.ts";

/** A function that a tool can be made of: JSON values in, an answer or a stream of answers out. */
// biome-ignore lint/suspicious/noExplicitAny: any function fits; its arguments are checked against the schema before it is called.
export type PlainFunction = (...args: any[]) => AnswerOutput | void | Promise<void>;

/** What {@link FunctionTool} takes besides the function. */
export interface FunctionToolOptions extends ToolBaseOptions {
  /** @default the function's name */
  readonly name?: string;
  /** For the model. `toolsFromModule` takes it from the function's TSDoc. */
  readonly description?: string;
  /** What the model may give. `toolsFromModule` derives it from the function's types. @default no parameters */
  readonly input?: InputSchema;
  /**
   * How the input is handed over: names of properties in the order of the function's parameters. Left out, the function gets the
   * whole input as one object. The call's context comes last in both cases.
   */
  readonly parameters?: readonly string[];
  /** @default true */
  readonly isConcurrencySafe?: boolean;
  /** Changes nothing, so that nobody is asked. @default false */
  readonly isReadOnly?: boolean;
  /** Puts the session's state in `context.state`. @default false */
  readonly isStateInjected?: boolean;
}

const NO_PARAMETERS: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/** A plain function as a tool. People are asked before it runs, until a rule allows it, unless it `isReadOnly`. */
export class FunctionTool extends ToolBase {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  override readonly isConcurrencySafe: boolean;
  override readonly isReadOnly: boolean;
  override readonly isStateInjected: boolean;
  declare readonly checkInput?: (input: ToolInput) => MaybePromise<readonly InputIssue[]>;
  readonly #function: PlainFunction;
  readonly #parameters: readonly string[] | undefined;
  readonly #reader: SchemaReader<InputSchema>;

  /** @throws ToolgateError `usage` for a function without a name, `unsupported` for a schema that can't be used */
  constructor(plain: PlainFunction, options: FunctionToolOptions = {}) {
    super(options);
    const { name = plain.name, description = "", input = NO_PARAMETERS } = options;
    if (name === "") {
      throw new ToolgateError("usage", "A function without a name can't be a tool.", {
        hint: "Give it one: { name }.",
      });
    }
    this.name = name;
    this.description = description;
    this.#function = plain;
    this.#parameters = options.parameters;
    this.#reader = schemaReader(input, name);
    this.inputSchema = this.#reader.jsonSchema;
    this.isConcurrencySafe = options.isConcurrencySafe ?? true;
    this.isReadOnly = options.isReadOnly ?? false;
    this.isStateInjected = options.isStateInjected ?? false;
    if (this.#reader.check !== undefined) this.checkInput = this.#reader.check;
  }

  override checkPermissions(
    _input: ToolInput,
    _context: PermissionContext,
  ): MaybePromise<PermissionDecision> {
    return { behavior: "ask", message: `${this.name} is a function; what it does isn't known beforehand.` };
  }

  override call(input: ToolInput, context: CallContext): ToolOutput {
    return this.#answer(input, context);
  }

  async #answer(input: ToolInput, context: CallContext): Promise<ReturnType<typeof answerChunks>> {
    const read = await this.#reader.take(input);
    const args = this.#parameters?.map((name) => (isObject(read) ? read[name] : undefined)) ?? [read];
    const output: unknown = await this.#function(...args, context);
    // A function that gives nothing has done its work.
    return answerChunks(output === undefined ? "Done." : output, this.name);
  }
}
