import type { ErrorObject } from "ajv";
import { pathText } from "../lib/frozen-json.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { nearestNames } from "../lib/nearest.ts";
import { kindOf, shorten } from "../lib/words-for.ts";
import type { InputIssue, JsonSchema } from "../tool.ts";

/** What a validator found, in words for a model: which parameter, what was expected, what came. */
export function schemaIssues(
  errors: readonly ErrorObject[],
  input: JsonObject,
  schema: JsonSchema,
): readonly InputIssue[] {
  // What single branches of a union say is noise once the union itself has failed.
  const unions = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  const told = errors.filter(
    (error) =>
      !unions.some((union) => union !== error && error.schemaPath.startsWith(`${union.schemaPath}/`)),
  );
  const issues = told.map((error) => issueOf(error, errors, { input, schema }));
  return issues.filter(
    (issue, at) =>
      issues.findIndex((other) => other.path === issue.path && other.message === issue.message) === at,
  );
}

interface Whole {
  readonly input: JsonObject;
  readonly schema: JsonSchema;
}

function issueOf(error: ErrorObject, errors: readonly ErrorObject[], whole: Whole): InputIssue {
  const keys = keysOf(error.instancePath, whole.input);
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case "required":
    case "dependentRequired": {
      const name = String(params.missingProperty);
      return { path: pathText([...keys, name]), message: missing(name, error) };
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(params.additionalProperty ?? params.unevaluatedProperty);
      return { path: pathText([...keys, name]), message: unknownName(name, error) };
    }
    case "anyOf":
    case "oneOf":
      return { path: pathText(keys), message: noBranch(error, errors) };
    default: {
      const message = `${expected(error, params)}, got ${kindOf(error.data)}`;
      return keys.length === 0
        ? { path: "", message: `the input: ${message}` }
        : { path: pathText(keys), message };
    }
  }
}

function missing(name: string, { data, parentSchema }: ErrorObject): string {
  const properties = propertiesOf(parentSchema);
  const own = properties[name];
  const what = isObject(own) ? typeText(own) : undefined;
  const start = what === undefined ? "is missing" : `is missing: expected ${what}`;
  const given = isObject(data) ? Object.keys(data).filter((key) => !Object.hasOwn(properties, key)) : [];
  const [near] = nearestNames(name, given.map((key) => key.slice(0, 100)).slice(0, 50), 1);
  return near === undefined ? start : `${start} (\`${near}\` came instead)`;
}

function unknownName(name: string, { parentSchema }: ErrorObject): string {
  const names = Object.keys(propertiesOf(parentSchema));
  const [near] = nearestNames(name.slice(0, 100), names, 1);
  if (near !== undefined) return `is not a parameter: did you mean \`${near}\`?`;
  if (names.length === 0) return "is not a parameter: there are none";
  return `is not a parameter: there are ${names.map((known) => `\`${known}\``).join(", ")}`;
}

function noBranch(union: ErrorObject, errors: readonly ErrorObject[]): string {
  const inside = errors.filter(
    (error) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`),
  );
  const here = inside.filter(({ instancePath }) => instancePath === union.instancePath);
  const types = here
    .filter(({ keyword }) => keyword === "type")
    .map((error) => expected(error, error.params));
  if (union.keyword === "oneOf" && inside.length === 0) return severalForms(union);
  if (types.length === inside.length && types.length > 0) {
    const kinds = types.map((text) => text.replace(/^expected /, ""));
    return `expected ${[...new Set(kinds)].join(" or ")}, got ${kindOf(union.data)}`;
  }
  const details = inside
    .filter(({ keyword }) => keyword !== "type")
    .slice(0, 4)
    .map((error) => `${error.instancePath.slice(union.instancePath.length + 1)} ${detailOf(error)}`.trim());
  const why = details.length === 0 ? "" : ` (${details.join("; ")})`;
  return `fits none of the forms it may have${why}, got ${kindOf(union.data)}`;
}

/** Forms are mostly told apart by what they need. */
function severalForms({ data, schema }: ErrorObject): string {
  const needed = (Array.isArray(schema) ? schema : []).flatMap((form: unknown) =>
    isObject(form) && Array.isArray(form.required) ? form.required.map(String) : [],
  );
  const given = needed.filter((name) => isObject(data) && Object.hasOwn(data, name));
  const which = given.length < 2 ? "" : `: give only one of ${given.map((name) => `\`${name}\``).join(", ")}`;
  return `fits more than one of the forms it may have${which}`;
}

function detailOf(error: ErrorObject): string {
  const params: Readonly<Record<string, unknown>> = error.params;
  if (error.keyword === "required") return `needs \`${String(params.missingProperty)}\``;
  if (error.keyword === "additionalProperties") {
    return `has no \`${shorten(String(params.additionalProperty), 60)}\``;
  }
  return expected(error, params);
}

function expected(error: ErrorObject, params: Readonly<Record<string, unknown>>): string {
  const { limit } = params;
  switch (error.keyword) {
    case "type":
      return `expected ${listText(params.type, String)}`;
    case "enum":
      return `expected ${listText(params.allowedValues, (value) => JSON.stringify(value))}`;
    case "const":
      return `expected ${shorten(JSON.stringify(params.allowedValue) ?? "nothing", 100)}`;
    case "minimum":
    case "exclusiveMinimum":
    case "maximum":
    case "exclusiveMaximum":
      return `expected a number ${String(params.comparison)} ${String(limit)}`;
    case "minLength":
      return `expected at least ${String(limit)} characters`;
    case "maxLength":
      return `expected at most ${String(limit)} characters`;
    case "minItems":
      return `expected at least ${String(limit)} items`;
    case "maxItems":
      return `expected at most ${String(limit)} items`;
    case "pattern":
      return `expected a string that matches ${shorten(String(params.pattern), 200)}`;
    default:
      return error.message ?? `fails ${error.keyword}`;
  }
}

function typeText(schema: Record<string, unknown>): string | undefined {
  if (Array.isArray(schema.enum)) return listText(schema.enum, (value) => JSON.stringify(value));
  return schema.type === undefined ? undefined : listText(schema.type, String);
}

function listText(values: unknown, word: (value: unknown) => string): string {
  const list: readonly unknown[] = Array.isArray(values) ? values : [values];
  const words = list.slice(0, 20).map(word);
  if (list.length > 20) words.push("…");
  const last = words.pop() ?? "";
  return words.length === 0 ? last : `${words.join(", ")} or ${last}`;
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  const properties = isObject(schema) ? schema.properties : undefined;
  return isObject(properties) ? properties : {};
}

/** A JSON pointer as keys; digits are an index where there is an array. */
function keysOf(pointer: string, input: JsonObject): readonly (string | number)[] {
  let value: unknown = input;
  return pointer
    .split("/")
    .slice(1)
    .map((token) => {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      const isIndex = Array.isArray(value);
      value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
      return isIndex ? Number(key) : key;
    });
}
