import { isObject, type JsonObject } from "./json.ts";

/** A key of a path that a schema library reports. */
type PathKey = PropertyKey | { readonly key: PropertyKey };

/** What a schema library says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly PathKey[] | undefined;
      }[];
    };

/** The common interface of schema libraries (standardschema.dev), with JSON Schema where the library can give it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> }
      | undefined;
  };
}

/** What a Standard Schema gives when it has parsed. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** Tells a Standard Schema from a plain JSON Schema. Some libraries make schemas that are functions. */
export function isStandardSchema(value: StandardSchema | JsonObject): value is StandardSchema {
  const schema: unknown = value;
  if (schema === null || (typeof schema !== "object" && typeof schema !== "function")) return false;
  return "~standard" in schema && isObject(schema["~standard"]);
}

/** The keys of a reported path. */
export function pathKeys(path: readonly PathKey[] = []): readonly (string | number)[] {
  return path.map((item) => {
    const key = typeof item === "object" ? item.key : item;
    return typeof key === "symbol" ? String(key) : key;
  });
}
