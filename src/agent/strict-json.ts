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

/** Whether a JSON text ends in the middle of one of its texts: what is missing there can't be guessed. */
export function endsInText(text: string): boolean {
  let isInside = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isInside && char === "\\") at += 1;
    else if (char === '"') isInside = !isInside;
  }
  return isInside;
}
