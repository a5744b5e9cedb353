import { createRequire } from "node:module";
import { ToolgateError } from "./errors.ts";
import { jsonCopy, pathText } from "./lib/frozen-json.ts";
import { isObject, type JsonObject, type MaybePromise } from "./lib/json.ts";
import type { FromJsonSchema } from "./lib/json-schema.ts";
import { isStandardSchema, type OutputOf, pathKeys, type StandardSchema } from "./lib/standard-schema.ts";
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
}

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
    return { jsonSchema: schema, read: (input) => input as InputOf<Schema> };
  }
  return standardReader(schema, toolName);
}

function standardReader<Schema extends InputSchema>(
  schema: StandardSchema,
  toolName: string,
): SchemaReader<Schema> {
  const standard = schema["~standard"];
  const parsed = new WeakMap<ToolInput, { readonly value: unknown }>();
  const take = (
    input: ToolInput,
    result: Awaited<ReturnType<typeof standard.validate>>,
  ): readonly InputIssue[] => {
    if (result.issues !== undefined) {
      return result.issues.map(({ path, message }) => ({ path: pathText(pathKeys(path)), message }));
    }
    parsed.set(input, { value: result.value });
    return [];
  };
  const check = (input: ToolInput): MaybePromise<readonly InputIssue[]> => {
    const result = standard.validate(input);
    return result instanceof Promise ? result.then((settled) => take(input, settled)) : take(input, result);
  };
  const parsedOf = (input: ToolInput, issues: readonly InputIssue[]): InputOf<Schema> => {
    const known = parsed.get(input);
    // The library's word: its type says what it parses to.
    if (known !== undefined) return known.value as InputOf<Schema>;
    const texts = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    throw new ToolgateError("invalid_input", `The input of ${toolName} doesn't fit: ${texts.join("; ")}.`);
  };
  return {
    jsonSchema: jsonSchemaOf(schema, toolName),
    check,
    read(input) {
      if (parsed.has(input)) return parsedOf(input, []);
      const issues = check(input);
      return issues instanceof Promise
        ? issues.then((settled) => parsedOf(input, settled))
        : parsedOf(input, issues);
    },
  };
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
