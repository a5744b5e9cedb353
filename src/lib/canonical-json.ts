import { isObject } from "./json.ts";

/** JSON text that is the same for equal values, in whatever order their keys were made. `undefined` properties are left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (isObject(item) ? sorted(item) : item)) ?? "null";
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  // Entries are defined, not assigned: a `__proto__` key stays a key.
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
