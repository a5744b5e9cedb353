import type { Json, JsonObject } from "./json.ts";
import { kindOf } from "./words-for.ts";

/** Why a value can't be taken as JSON. */
export interface JsonFault {
  /** Where, `edits[2].text`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** A frozen copy, or why there is none. */
export type FrozenJson =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly fault: JsonFault };

/** Levels of nesting that are taken. What walks over inputs after this need not fear for its stack. */
export const MAX_DEPTH = 100;

/** Thrown inside {@link frozenJson}, caught at its border. */
class Fault extends Error {
  readonly keys: (string | number)[] = [];
}

/**
 * A frozen copy of a JSON object, or what is wrong with it: too deep, not JSON, a `__proto__` key. Properties that are
 * `undefined` are left out. Nobody can change what was copied.
 */
export function frozenJson(value: object): FrozenJson {
  try {
    return { ok: true, value: copyObject(value, 1) };
  } catch (error) {
    if (error instanceof Fault) {
      return { ok: false, fault: { path: pathText(error.keys.reverse()), message: error.message } };
    }
    // A getter or a proxy of the caller's threw.
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, fault: { path: "", message: `can't be read: ${why}` } };
  }
}

/** A path in words of code: `edits[2].old_string`. */
export function pathText(keys: readonly (string | number)[]): string {
  return keys.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}

function copyObject(value: object, depth: number): JsonObject {
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw new Fault("has a key `__proto__`, which is never taken");
    const item: unknown = Reflect.get(value, key);
    if (item === undefined) continue;
    copy[key] = isPlain(item) ? item : nested(item, key, depth);
  }
  return Object.freeze(copy);
}

function copyArray(value: readonly unknown[], depth: number): readonly Json[] {
  return Object.freeze(Array.from(value, (item, at) => (isPlain(item) ? item : nested(item, at, depth))));
}

function nested(value: unknown, key: string | number, depth: number): Json {
  try {
    if (depth >= MAX_DEPTH) throw new Fault(`is nested more than ${MAX_DEPTH} levels deep`);
    if (Array.isArray(value)) return copyArray(value, depth + 1);
    if (typeof value === "object" && value !== null && isRecord(value)) return copyObject(value, depth + 1);
    throw new Fault(`is ${kindOf(value)}, which JSON can't carry`);
  } catch (error) {
    if (error instanceof Fault) error.keys.push(key);
    throw error;
  }
}

function isPlain(value: unknown): value is null | boolean | number | string {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  return typeof value === "number" && Number.isFinite(value);
}

/** Dates, maps and instances of classes are no JSON objects. */
function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** A JSON copy of a value of ours, for metadata; what JSON can't carry is left out. */
export function jsonCopy(value: unknown, depth = 0): Json | undefined {
  if (isPlain(value)) return value;
  if (typeof value !== "object" || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((item) => jsonCopy(item, depth + 1) ?? null);
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const copy = jsonCopy(item, depth + 1);
    return copy === undefined ? [] : [[key, copy] as const];
  });
  return Object.fromEntries(entries);
}
