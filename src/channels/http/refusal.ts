import { ToolgateError } from "../../errors.ts";

/** What may be known of a refusal. */
export interface RefusalOptions {
  /** Set when it was asked too often, and will be let through after so many milliseconds. */
  readonly waitMs?: number;
  /** The service no longer takes the access token. Nothing was done. */
  readonly isStaleToken?: boolean;
  readonly cause?: unknown;
}

/** A service's no: it has answered, and hasn't done what it was asked. */
export class Refusal extends Error {
  override readonly name: string = "Refusal";
  readonly waitMs: number | undefined;
  readonly isStaleToken: boolean;

  constructor(why: string, { waitMs, isStaleToken = false, cause }: RefusalOptions = {}) {
    super(why, cause === undefined ? undefined : { cause });
    this.waitMs = waitMs;
    this.isStaleToken = isStaleToken;
  }
}

/** Longest part of a service's words that is repeated. */
const MAX_WORDS = 300;

/** A service's no in words: `QQ refused: msg limit exceed (22009)`. What it said is cut, and in one line. */
export function refusalWords(service: string, said: string | undefined, code: string | number): string {
  const words = (said ?? "it gave no reason").replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return `${service} refused: ${words.slice(0, MAX_WORDS)} (${code})`;
}

/** What a connection ends with: a refusal as an error that a program can act on, everything else as it is. */
export function connectionError(error: unknown): unknown {
  return error instanceof Refusal
    ? new ToolgateError("connection_failed", `${error.message}.`, { cause: error })
    : error;
}
