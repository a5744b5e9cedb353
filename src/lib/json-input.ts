import { type FrozenJson, frozenJson } from "./frozen-json.ts";
import { isObject, type JsonObject, type MaybePromise } from "./json.ts";
import { kindOf, shorten } from "./words-for.ts";

export { kindOf } from "./words-for.ts";

/** A model's arguments as an object that nobody can change, or what is wrong with them. */
export type ParsedInput =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** Milliseconds that a repair may take. Some broken texts cost it the square of their length. */
const REPAIR_MS = 300;

/**
 * Reads a call's arguments: strictly, and where that fails as the JSON that was probably meant. Only an object is taken; an empty text
 * is one without keys. Bounded in time; the caller bounds the length.
 */
export function parseInput(raw: string | JsonObject): MaybePromise<ParsedInput> {
  if (typeof raw !== "string") return objectOf(raw);
  const text = raw.trim();
  if (text === "") return objectOf({});
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    return repaired(text, error instanceof Error ? error.message : String(error));
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

async function repaired(text: string, why: string): Promise<ParsedInput> {
  // Half a file would be written, and called a success.
  if (endsInText(text)) return no("it was cut off in the middle of a text; send it again, whole");
  const { jsonrepair } = await import("jsonrepair");
  const { runInNewContext } = await import("node:vm");
  try {
    // Nothing runs in that context but the repair: it is there for its time limit.
    const mended: unknown = runInNewContext(
      "repair(text)",
      { repair: jsonrepair, text },
      { timeout: REPAIR_MS },
    );
    const value: unknown = JSON.parse(String(mended));
    // A repair makes a text of nearly anything; only what came out an object was probably meant as JSON.
    if (isObject(value)) return objectOf(value);
  } catch {
    // It can't be repaired: what was wrong with the text as it came is what helps.
  }
  return no(`it isn't JSON (${shorten(why, 200)})`);
}

function objectOf(value: unknown): ParsedInput {
  if (typeof value === "string") return objectInText(value);
  if (!isObject(value)) return no(`a JSON object is expected, and ${kindOf(value)} came`);
  const frozen: FrozenJson = frozenJson(value);
  if (frozen.ok) return frozen;
  const { path, message } = frozen.fault;
  return no(`${path === "" ? "it" : `\`${path}\``} ${message}`);
}

/** Some models put their JSON into a JSON text. */
function objectInText(text: string): ParsedInput {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return objectOf(value);
  } catch {
    // It was meant as a text.
  }
  return no(`a JSON object is expected, and ${kindOf(text)} came`);
}

function no(problem: string): ParsedInput {
  return { ok: false, problem };
}
