import { redact, redactText } from "../audit/redact.ts";
import { isObject, type JsonObject } from "../lib/json.ts";

/** What is remembered of a call. */
export interface RecentCall {
  readonly id: string;
  /** When it began: ISO 8601, UTC. */
  readonly time: string;
  readonly toolName: string;
  /** Redacted and bounded, as in the records. */
  readonly arguments: JsonObject;
  readonly state: string;
  /** The start of its answer, redacted. */
  readonly result: string;
  readonly durationMs: number;
}

/** Characters of an answer that are remembered. */
const RESULT_CHARS = 1000;

/** The last calls, a fixed number of them. */
export class RecentCalls {
  readonly #most: number;
  #calls: readonly RecentCall[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Newest first. */
  newest(limit: number = this.#most): readonly RecentCall[] {
    return this.#calls.slice(0, Math.max(0, limit));
  }

  add(call: Omit<RecentCall, "arguments" | "result">, given: string | JsonObject, result: string): void {
    const kept = {
      ...call,
      arguments: isObject(given) ? redact(given) : {},
      result: redactText(result, RESULT_CHARS),
    };
    this.#calls = [kept, ...this.#calls].slice(0, this.#most);
  }
}
