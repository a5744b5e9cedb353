import { isObject, type JsonObject } from "../lib/json.ts";
import type { JsonSchema } from "../tool.ts";

/** What a schema may say at its root, and of a property, for {@link fitsPlainly} to understand all of it. */
const ROOT_WORDS = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "title",
  "description",
  "$schema",
]);
const PROPERTY_WORDS = new Set(["type", "title", "description", "default", "examples"]);

/**
 * True when an input can be seen to fit without a validator: a flat schema, and only strings and booleans given, for
 * properties about which the schema says nothing but that. Most calls are like that, and the first of a process needn't
 * wait for a validator to be loaded and compiled. False says nothing.
 */
export function fitsPlainly(schema: JsonSchema, input: JsonObject): boolean {
  const { type, properties, required = [] } = schema;
  if (type !== "object" || !isObject(properties) || !Array.isArray(required)) return false;
  for (const word of Object.keys(schema)) if (!ROOT_WORDS.has(word)) return false;
  for (const name of required) if (!Object.hasOwn(input, String(name))) return false;
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(properties, name) || !fitsProperty(properties[name], value)) return false;
  }
  return true;
}

function fitsProperty(schema: unknown, value: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type } = schema;
  if ((type !== "string" && type !== "boolean") || typeof value !== type) return false;
  for (const word of Object.keys(schema)) if (!PROPERTY_WORDS.has(word)) return false;
  return true;
}
