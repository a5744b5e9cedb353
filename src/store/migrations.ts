import { APPROVAL_VERSION } from "../approval.ts";
import { ToolgateError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { STATE_VERSION } from "../state.ts";

/** Makes an entry of one version into the same of the next. */
export type Migration = (entry: JsonObject) => JsonObject;

/** A kind of entry that is kept as JSON with its version in it. */
export interface Versioned {
  /** `session`, `approval`: for messages. */
  readonly what: string;
  readonly current: number;
  /** By the version that it starts from. Only ever added to. */
  readonly steps: ReadonlyMap<number, Migration>;
}

/** What sessions were and are. */
export const STATE: Versioned = {
  what: "session",
  current: STATE_VERSION,
  steps: new Map([[1, withConversation]]),
};

/** What approvals were and are. */
export const TERMS: Versioned = { what: "approval", current: APPROVAL_VERSION, steps: new Map() };

/**
 * An entry as JSON text, brought forward to this code's version of it.
 * @throws ToolgateError `store_corrupt` when it isn't one, `unsupported` when a newer toolgate wrote it
 */
export function readVersioned(text: string, kind: Versioned, id: string): JsonObject {
  return bringForward(parsed(text, kind.what, id), kind, id);
}

/** @throws ToolgateError `store_corrupt` when the text is no JSON object */
export function parsed(text: string, what: string, id: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw corrupt(what, id, error instanceof Error ? error.message : String(error));
  }
  if (isJsonObject(value)) return value;
  throw corrupt(what, id, "it is no JSON object");
}

/** The error for an entry that can't be used. */
export function corrupt(what: string, id: string, why: string): ToolgateError {
  return new ToolgateError("store_corrupt", `The ${what} ${id} can't be used: ${why}.`);
}

/** Version 1 had permissions and tasks, and no conversation. */
function withConversation(state: JsonObject): JsonObject {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, reasoningTokens: 0, modelCalls: 0 };
  return { ...state, messages: [], parked: [], usage };
}

function bringForward(entry: JsonObject, { what, current, steps }: Versioned, id: string): JsonObject {
  const { version } = entry;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
    throw corrupt(what, id, "it doesn't say its version");
  }
  if (version > current) {
    throw new ToolgateError(
      "unsupported",
      `The ${what} ${id} is of version ${version}, written by a newer toolgate; this one knows version ${current}.`,
    );
  }
  let now = entry;
  for (let from = version; from < current; from++) {
    const step = steps.get(from);
    if (step === undefined) throw corrupt(what, id, `nothing leads on from version ${from}`);
    now = { ...step(now), version: from + 1 };
  }
  return now;
}

/** What `JSON.parse` gives is JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}
