import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import { SECRET_HINT, SECRET_KEY, SECRET_SHAPES } from "./secret-shapes.ts";

/** How much of an input is kept in a record. */
export interface RedactLimits {
  /** Characters of one text. @default 2000 */
  readonly textChars?: number;
  /** Characters of all texts and names together. @default 16000 */
  readonly totalChars?: number;
  /** Members of one object or list. @default 100 */
  readonly members?: number;
  /** Levels of nesting. @default 8 */
  readonly depth?: number;
}

interface Budget {
  readonly textChars: number;
  readonly members: number;
  readonly depth: number;
  left: number;
}

/** A cut never leaves part of a secret: so much before it is dropped with it. */
const CUT_MARGIN = 1024;
const REDACTED = "[redacted]";

/**
 * A copy of a call's input that is safe to keep: known secret shapes and the values of members with a secret's name are
 * replaced, and size, depth and number are bounded. Never throws for any JSON; doing it twice changes nothing more.
 */
export function redact(input: JsonObject, limits: RedactLimits = {}): JsonObject {
  const { textChars = 2000, totalChars = 16_000, members = 100, depth = 8 } = limits;
  const budget: Budget = { textChars, members, depth, left: totalChars };
  return redactObject(input, budget, 0);
}

/** One text with its secrets replaced, cut to `maxChars`. */
export function redactText(text: string, maxChars = 2000): string {
  if (text.length <= maxChars) return replaceSecrets(text);
  const looked = replaceSecrets(text.slice(0, maxChars + CUT_MARGIN));
  const mark = `… [${text.length} characters]`;
  return looked.slice(0, Math.max(0, Math.min(maxChars - mark.length, looked.length - CUT_MARGIN))) + mark;
}

function replaceSecrets(text: string): string {
  if (!SECRET_HINT.test(text)) return text;
  let result = text;
  for (const { pattern, replace } of SECRET_SHAPES) result = result.replace(pattern, replace);
  return result;
}

function redactValue(value: unknown, budget: Budget, level: number): Json {
  budget.left -= 1;
  if (typeof value === "string") {
    return spend(redactText(value, Math.min(budget.textChars, Math.max(budget.left, 0))), budget);
  }
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (level >= budget.depth || budget.left <= 0) return "[…]";
  if (Array.isArray(value)) return redactList(value, budget, level);
  if (isObject(value)) return redactObject(value, budget, level);
  return `[${typeof value}]`;
}

function redactList(list: readonly unknown[], budget: Budget, level: number): Json {
  const kept: Json[] = [];
  for (const value of list) {
    if (kept.length === budget.members || budget.left <= 0) {
      kept.push(`… [${list.length} members]`);
      break;
    }
    kept.push(redactValue(value, budget, level + 1));
  }
  return kept;
}

function redactObject(object: Readonly<Record<string, unknown>>, budget: Budget, level: number): JsonObject {
  const kept: [string, Json][] = [];
  const names = Object.keys(object);
  for (const name of names) {
    if (kept.length === budget.members || budget.left <= 0) {
      kept.push(["…", `[${names.length} members]`]);
      break;
    }
    const value = object[name];
    if (value === undefined) continue;
    kept.push([spend(redactText(name, 200), budget), redactMember(name, value, budget, level)]);
  }
  // Defines own properties, so that a `__proto__` member stays a member.
  return Object.fromEntries(kept);
}

function redactMember(name: string, value: unknown, budget: Budget, level: number): Json {
  const plain = value === null || typeof value === "boolean";
  if (!plain && SECRET_KEY.test(name.replace(/[_-]/g, "").toLowerCase())) return REDACTED;
  return redactValue(value, budget, level + 1);
}

function spend(text: string, budget: Budget): string {
  budget.left -= text.length;
  return text;
}
