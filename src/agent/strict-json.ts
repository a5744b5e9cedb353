import { isObject } from "../lib/json.ts";

/** A text's object, without any repair; an empty text is an object without keys. */
export function parsedStrictly(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
