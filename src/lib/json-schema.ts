import type { Json } from "./json.ts";

/** The TypeScript type of what a JSON Schema, given as a literal, accepts. What it can't express is `Json`. */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer B)[] }
      ? FromJsonSchema<B>
      : S extends { readonly oneOf: readonly (infer B)[] }
        ? FromJsonSchema<B>
        : S extends { readonly type: readonly (infer T)[] }
          ? T extends string
            ? FromType<S, T>
            : Json
          : S extends { readonly type: infer T }
            ? FromType<S, T>
            : Json;

type FromType<S, T> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "array"
          ? readonly FromItems<S>[]
          : T extends "object"
            ? FromObject<S>
            : Json;

type FromItems<S> = S extends { readonly items: infer I } ? FromJsonSchema<I> : Json;

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

/** A schema whose properties are only known as "some" gives a plain record. */
type FromObject<S> = S extends { readonly properties: infer P }
  ? string extends keyof P
    ? Readonly<Record<string, Json | undefined>>
    : Simplify<
        { readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromJsonSchema<P[K]> } & {
          readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromJsonSchema<P[K]>;
        }
      >
  : Readonly<Record<string, Json | undefined>>;

type Simplify<T> = { [K in keyof T]: T[K] };
