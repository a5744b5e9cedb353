import { isToolgateError, ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import type { ReplyError } from "./event.ts";

/** Statuses by which a provider says that it can't do anything with what it was sent. */
const REFUSED: ReadonlySet<unknown> = new Set([400, 404, 415, 422]);

/** Codes of connections that broke, or never came about. */
const BROKEN = /^(?:ECONN|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|UND_ERR)/;

/** The connection ended before the model said that it had finished. */
export function dropped(): ToolgateError {
  return new ToolgateError("model_failed", "The model's answer broke off before its end.", {
    hint: "Try again; what was said before is kept.",
  });
}

/** Nothing came for too long. */
export function silent(ms: number): ToolgateError {
  return new ToolgateError("model_failed", `Nothing came from the model for ${ms} ms.`);
}

/** Whether the same request may succeed after a while. */
export function mayPass(error: unknown): boolean {
  if (isToolgateError(error)) return error.code === "model_failed";
  if (!isObject(error)) return false;
  if (typeof error.isRetryable === "boolean") return error.isRetryable;
  for (let at: unknown = error, depth = 0; isObject(at) && depth < 5; at = at.cause, depth++) {
    if (typeof at.code === "string" && BROKEN.test(at.code)) return true;
    if (at instanceof TypeError && /^(?:fetch failed|terminated|network error)$/i.test(at.message))
      return true;
  }
  return false;
}

/** Whether the provider refused what was sent. */
export function isRefusal(error: unknown): boolean {
  return isObject(error) && REFUSED.has(error.statusCode);
}

/** How long a provider asks to be left alone, in milliseconds. */
export function retryAfterMs(error: unknown): number | undefined {
  const headers = isObject(error) && isObject(error.responseHeaders) ? error.responseHeaders : {};
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

/** A failure as a reply reports it. */
export function replyError(error: unknown): ReplyError {
  if (isToolgateError(error)) return { code: error.code, message: error.text };
  const status = isObject(error) && typeof error.statusCode === "number" ? { status: error.statusCode } : {};
  return { code: "model_failed", message: messageOf(error), ...status };
}

/** What went wrong, in words; providers put all kinds of things into their error parts. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (isObject(error) && typeof error.message === "string") return error.message;
  return typeof error === "string" ? error : (JSON.stringify(error) ?? String(error));
}
