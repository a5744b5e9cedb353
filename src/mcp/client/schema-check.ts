import { isObject } from "../../lib/json.ts";

/** Schemas beyond this are no description of a call. */
const MOST_NODES = 20_000;
const MOST_DEPTH = 100;
const TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "null",
  "array",
  "object",
]);
const LIST_WORDS = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;
const MAP_WORDS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] as const;
const SCHEMA_WORDS = [
  "additionalProperties",
  "items",
  "not",
  "contains",
  "if",
  "then",
  "else",
  "propertyNames",
  "additionalItems",
] as const;

/**
 * What is wrong with an input schema, in words; `undefined` when nothing is found. Quicker than compiling it, which happens with the first
 * call; catches what would make a provider refuse all the tools because of one.
 */
export function schemaFault(schema: unknown): string | undefined {
  if (!isObject(schema)) return "it is no object";
  const { type } = schema;
  const isForObjects =
    type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  if (!isForObjects) return "its root is no object";
  return new Walk(schema).fault();
}

class Walk {
  readonly #root: Record<string, unknown>;
  #nodes = 0;

  constructor(root: Record<string, unknown>) {
    this.#root = root;
  }

  fault(): string | undefined {
    return this.#schema(this.#root, "", 0);
  }

  #schema(schema: unknown, at: string, depth: number): string | undefined {
    if (typeof schema === "boolean") return undefined;
    if (!isObject(schema)) return `${at || "its root"} is no schema`;
    this.#nodes += 1;
    if (this.#nodes > MOST_NODES || depth > MOST_DEPTH) return "it is too large";
    return this.#words(schema, at) ?? this.#below(schema, at, depth + 1);
  }

  #words(schema: Record<string, unknown>, at: string): string | undefined {
    const { type, required, pattern, $ref } = schema;
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    if (type !== undefined && !types.every((one) => TYPES.has(one))) return `${at}/type is none of JSON's`;
    const isNames = Array.isArray(required) && required.every((name) => typeof name === "string");
    if (required !== undefined && !isNames) return `${at}/required is no list of names`;
    if (schema.enum !== undefined && !Array.isArray(schema.enum)) return `${at}/enum is no list`;
    if (pattern !== undefined && !isPattern(pattern)) return `${at}/pattern is no regular expression`;
    if ($ref !== undefined && !this.#resolves($ref)) return `${at}/$ref leads nowhere`;
    return undefined;
  }

  #below(schema: Record<string, unknown>, at: string, depth: number): string | undefined {
    const lists = LIST_WORDS.filter((word) => schema[word] !== undefined);
    const badList = lists.find((word) => !isFullList(schema[word]));
    if (badList !== undefined) return `${at}/${badList} is no list of schemas`;
    const maps = MAP_WORDS.filter((word) => schema[word] !== undefined);
    const badMap = maps.find((word) => !isObject(schema[word]));
    if (badMap !== undefined) return `${at}/${badMap} is no object`;
    const single = SCHEMA_WORDS.filter((word) => schema[word] !== undefined);
    for (const word of [...lists, ...maps, ...single]) {
      const fault = this.#first(
        schemasIn(
          schema[word],
          maps.some((map) => map === word),
        ),
        `${at}/${word}`,
        depth,
      );
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #first(schemas: readonly unknown[], at: string, depth: number): string | undefined {
    for (const schema of schemas) {
      const fault = this.#schema(schema, at, depth);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** References within the schema only: another document can't be had from here. */
  #resolves(reference: unknown): boolean {
    if (typeof reference !== "string" || !reference.startsWith("#")) return false;
    if (reference === "#") return true;
    // An anchor; the compiler knows them.
    if (!reference.startsWith("#/")) return true;
    let value: unknown = this.#root;
    for (const token of reference.slice(2).split("/")) {
      const key = decoded(token);
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
      value = Reflect.get(value, key);
    }
    return isObject(value) || typeof value === "boolean";
  }
}

function isFullList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** In older drafts the items of an array may have a schema each. */
function schemasIn(value: unknown, isMap: boolean): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isMap && isObject(value) ? Object.values(value) : [value];
}

function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return token; // a lone percent sign
  }
}
