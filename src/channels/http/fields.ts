import { isObject } from "../../lib/json.ts";

/** What is at a place in something that a service said; `undefined` when there is nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found) && typeof step === "number") found = found[step];
    else if (isObject(found)) found = found[step];
    else return undefined;
  }
  return found;
}

/** A text at a place in what a service said; `undefined` when there is none, or an empty one. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** A number at a place, also where the service writes it as a text. */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path);
  if (typeof found === "string" && /^\d{1,15}$/.test(found)) return Number(found);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** What is in a list at a place; nothing when there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** JSON from outside; `undefined` when it isn't any. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
