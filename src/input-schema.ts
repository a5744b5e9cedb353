import { createRequire } from "node:module";
import { ToolgateError } from "./errors.ts";
import { after } from "./lib/after.ts";
import { jsonCopy, pathText } from "./lib/frozen-json.ts";
import { isObject, type JsonObject, type MaybePromise } from "./lib/json.ts";
import type { FromJsonSchema } from "./lib/json-schema.ts";
import {
  isStandardSchema,
  type OutputOf,
  pathKeys,
  type StandardResult,
  type StandardSchema,
} from "./lib/standard-schema.ts";
import type { InputIssue, JsonSchema, ToolInput } from "./tool.ts";

/** What describes a tool's input: a JSON Schema, or a Standard Schema (Zod 4 and others) that can give one. */
export type InputSchema = JsonSchema | StandardSchema;

/** What `call` gets for a schema: what a Standard Schema parses to, or what a JSON Schema accepts. */
export type InputOf<Schema extends InputSchema> = Schema extends StandardSchema
  ? OutputOf<Schema>
  : string extends keyof Schema
    ? ToolInput
    : FromJsonSchema<Schema>;

/** A schema made ready: what a model is shown, and how an input becomes what `call` gets. */
export interface SchemaReader<Schema extends InputSchema> {
  readonly jsonSchema: JsonSchema;
  /** Checks an input; absent when `jsonSchema` says all there is. */
  readonly check?: (input: ToolInput) => MaybePromise<readonly InputIssue[]>;
  /**
   * The input as `call` gets it; worked out once for an input that was checked.
   * @throws ToolgateError `invalid_input`
   */
  read(input: ToolInput): MaybePromise<InputOf<Schema>>;
  /** {@link read} for the last time: nothing of the input is kept. */
  take(input: ToolInput): MaybePromise<InputOf<Schema>>;
}

/** Inputs whose parsed form is kept until their call begins; of calls that never do, the oldest are forgotten. */
const MOST_KEPT = 64;

/**
 * Makes a schema ready.
 * @throws ToolgateError `unsupported` when a Standard Schema can't give a JSON Schema
 */
export function schemaReader<Schema extends InputSchema>(
  schema: Schema,
  toolName: string,
): SchemaReader<Schema> {
  // What JSON Schema accepts is the input itself: the gate has checked it, and the type says so.
  if (!isStandardSchema(schema)) {
    const read = (input: ToolInput): InputOf<Schema> => input as InputOf<Schema>;
    return { jsonSchema: schema, read, take: read };
  }
  return new StandardReader(schema, toolName);
}

/** Parses once what the gate checks, several judge and `call` gets. */
class StandardReader<Schema extends InputSchema> implements SchemaReader<Schema> {
  readonly jsonSchema: JsonSchema;
  readonly #standard: StandardSchema["~standard"];
  readonly #toolName: string;
  /** A map and not a weak one: those cost the garbage collector more than all the rest of a call. */
  readonly #parsed = new Map<ToolInput, InputOf<Schema>>();

  constructor(schema: StandardSchema, toolName: string) {
    this.#standard = schema["~standard"];
    this.#toolName = toolName;
    this.jsonSchema = jsonSchemaOf(schema, toolName);
  }

  readonly check = (input: ToolInput): MaybePromise<readonly InputIssue[]> => {
    return after(this.#standard.validate(input), (result) => this.#keep(input, result));
  };

  read(input: ToolInput): MaybePromise<InputOf<Schema>> {
    const known = this.#parsed.get(input);
    if (known !== undefined) return known;
    return after(this.check(input), (issues) => this.#parsedOr(input, issues));
  }

  take(input: ToolInput): MaybePromise<InputOf<Schema>> {
    return after(this.read(input), (value) => {
      this.#parsed.delete(input);
      return value;
    });
  }

  #keep(input: ToolInput, result: StandardResult<unknown>): readonly InputIssue[] {
    if (result.issues !== undefined) {
      return result.issues.map(({ path, message }) => ({ path: pathText(pathKeys(path)), message }));
    }
    // The library's word: its type says what it parses to.
    this.#parsed.set(input, result.value as InputOf<Schema>);
    if (this.#parsed.size > MOST_KEPT) this.#forgetOldest();
    return [];
  }

  #forgetOldest(): void {
    for (const oldest of this.#parsed.keys()) {
      this.#parsed.delete(oldest);
      return;
    }
  }

  #parsedOr(input: ToolInput, issues: readonly InputIssue[]): InputOf<Schema> {
    const known = this.#parsed.get(input);
    if (known !== undefined) return known;
    const texts = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    throw new ToolgateError(
      "invalid_input",
      `The input of ${this.#toolName} doesn't fit: ${texts.join("; ")}.`,
    );
  }
}

function jsonSchemaOf(schema: StandardSchema, toolName: string): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"];
  try {
    const made =
      jsonSchema === undefined ? zodJsonSchema(schema) : jsonSchema.input({ target: "draft-2020-12" });
    const copy = jsonCopy(made);
    if (isJsonObject(copy)) {
      const { $schema: _draft, ...rest } = copy;
      return rest;
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw unsupported(toolName, vendor, why, cause);
  }
  throw unsupported(toolName, vendor, "it gives none");
}

/** Zod before 4.2 gives JSON Schema only by a function of its own; whoever uses such a schema has Zod installed. */
function zodJsonSchema(schema: StandardSchema): unknown {
  if (schema["~standard"].vendor !== "zod") return undefined;
  const zod: unknown = createRequire(`${process.cwd()}/`)("zod");
  if (!isObject(zod) || typeof zod.toJSONSchema !== "function") return undefined;
  return zod.toJSONSchema(schema, { io: "input" });
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

function unsupported(toolName: string, vendor: string, why: string, cause?: unknown): ToolgateError {
  return new ToolgateError(
    "unsupported",
    `The schema of ${toolName} (${vendor}) can't be given as JSON Schema: ${why}.`,
    { hint: "Use types that JSON has, or give a JSON Schema.", cause },
  );
}
