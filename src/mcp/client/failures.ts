import { ToolgateError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";

const MOST_CHARS = 2000;
/** As the system says it, and as a backend does. */
const MISSING: ReadonlySet<unknown> = new Set(["ENOENT", "EACCES", "not_found", "permission_denied"]);

/** The error itself or one that it was caused by, while there is one. */
function* chain(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) yield at;
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : undefined;
}

/** The HTTP status with which a server refused, if that is what happened. */
export function httpStatusOf(error: unknown): number | undefined {
  for (const each of chain(error)) {
    const data = "data" in each && isObject(each.data) ? each.data : undefined;
    if (typeof data?.status === "number") return data.status;
    // The transport for SSE has it as its code, or in its text only.
    const code = codeOf(each);
    if (typeof code === "number" && code >= 400 && code < 600) return code;
    const [, status] = /\(HTTP (\d{3})\)/.exec(each.message) ?? [];
    if (status !== undefined) return Number(status);
  }
  return undefined;
}

/** Whether the server itself answered, with an error of the protocol: it is there, and may speak another version of it. */
export function isAnsweredByServer(error: unknown): boolean {
  return chain(error).some((each) => {
    if (Number(codeOf(each)) < 0) return true;
    const data = "data" in each && isObject(each.data) ? each.data : undefined;
    return data?.status === 400 && typeof data.text === "string" && data.text.includes('"jsonrpc"');
  });
}

/** Whether the connection was gone before the request was answered. */
export function isConnectionLost(error: unknown): boolean {
  return chain(error).some((each) => {
    const code = codeOf(each);
    return code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED" || each.message === "Not connected";
  });
}

/** Whether the server has forgotten the session, and so has done nothing: it may have been started anew. */
export function isSessionLost(error: unknown): boolean {
  const status = httpStatusOf(error);
  return status === 404 || (status === 400 && chain(error).some(({ message }) => /session/i.test(message)));
}

/** Whether trying again by itself is no use: there is no such program, or a token is missing. */
export function isHopeless(error: unknown): boolean {
  const status = httpStatusOf(error);
  return status === 401 || status === 403 || isMissingProgram(error);
}

/** Whether a request took too long. */
export function isTimeout(error: unknown): boolean {
  return chain(error).some((each) => codeOf(each) === "REQUEST_TIMEOUT");
}

function isMissingProgram(error: unknown): boolean {
  return chain(error).some((each) => MISSING.has(codeOf(each)));
}

/** An error's words, of bounded length. */
export function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)} …` : text;
}

/** Why a server can't be reached, in one sentence. */
export function connectFailure(error: unknown): string {
  const status = httpStatusOf(error);
  if (status === 401 || status === 403) {
    return `it refuses access (HTTP ${status}); give it a token in \`headers\``;
  }
  if (status !== undefined) return `it answers HTTP ${status}`;
  if (isMissingProgram(error)) return `its program can't be started (${wordsOf(error)})`;
  if (isConnectionLost(error)) return "it ended before it was ready";
  if (isTimeout(error)) return "it was not ready in time";
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${wordsOf(error.cause)})` : "";
  return `${wordsOf(error)}${cause}`;
}

/** What a failed call means to whoever made it. */
export function callFailure(error: unknown, server: string, lastWords: string): ToolgateError {
  if (isConnectionLost(error)) {
    const words = lastWords === "" ? "" : ` Its last words: ${lastWords.slice(-500)}`;
    return new ToolgateError(
      "unknown_outcome",
      `The MCP server ${server} ended in the middle of the call; whether it did its work isn't known.${words}`,
      {
        hint: "It is started again. Look at what the call was to change before you repeat it.",
        cause: error,
      },
    );
  }
  const status = httpStatusOf(error);
  const what = status === undefined ? wordsOf(error) : `HTTP ${status}: ${wordsOf(error)}`;
  return new ToolgateError("tool_failed", `The MCP server ${server} refused the call: ${what}`, {
    cause: error,
  });
}
