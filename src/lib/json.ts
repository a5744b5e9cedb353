/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object: what tool inputs, metadata and schemas are. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A value, or a promise of one. Lets the hot path stay synchronous where an answer is at hand. */
export type MaybePromise<T> = T | Promise<T>;

/** True for a plain JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
