import { isToolgateError, ToolgateError } from "../../errors.ts";

/** The part of Kubernetes' `Status` that says how something went. */
export interface ApiStatus {
  readonly success: boolean;
  readonly reason: string;
  readonly message: string;
  /** What led to it, by kind: `ExitCode`. */
  readonly causes: ReadonlyMap<string, string>;
}

/** Reads a `Status`, as text or parsed; `undefined` for anything else. */
export function readStatus(body: unknown): ApiStatus | undefined {
  const value = typeof body === "string" ? parsed(body) : body;
  const status = field(value, "status");
  if (typeof status !== "string") return undefined;
  const causes = field(field(value, "details"), "causes");
  const entries = Array.isArray(causes) ? causes : [];
  return {
    success: status === "Success",
    reason: String(field(value, "reason") ?? ""),
    message: String(field(value, "message") ?? ""),
    causes: new Map(
      entries.map((cause) => [String(field(cause, "reason")), String(field(cause, "message"))]),
    ),
  };
}

/** What an object of unknown shape has by a name. */
function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The HTTP status of a refused request; `undefined` when none came. */
export function httpStatus(error: unknown): number | undefined {
  const status = field(error, "code") ?? field(error, "statusCode");
  return typeof status === "number" ? status : undefined;
}

/** Puts into words why the cluster didn't do something: what it says itself, or why it couldn't be asked. */
export function unavailable(doing: string, server: string, error: unknown): ToolgateError {
  if (isToolgateError(error)) return error;
  const status = httpStatus(error);
  if (status === undefined) {
    return new ToolgateError("backend_unavailable", `${doing}: ${server} can't be reached: ${why(error)}.`, {
      cause: error,
    });
  }
  const said = readStatus(field(error, "body"))?.message ?? `HTTP status ${status}`;
  if (status === 401) {
    return new ToolgateError("backend_unavailable", `${doing}: ${server} doesn't accept the credentials.`, {
      hint: "Renew them, or name another context.",
      cause: error,
    });
  }
  return new ToolgateError("backend_unavailable", `${doing}: ${said}`, {
    ...(status === 403 && said.includes(" cannot ")
      ? { hint: "Give the user the Role of deploy/kubernetes." }
      : {}),
    cause: error,
  });
}

/** The innermost reason: the outer ones only say "fetch failed". */
function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return why(error.errors[0]);
  return error.cause === undefined ? error.message : why(error.cause);
}
