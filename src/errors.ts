/**
 * What went wrong, as a program reads it. `docs/errors.md` explains each code;
 * a test keeps that page and this list the same.
 */
export const ERROR_CODES = [
  "aborted",
  "already_exists",
  "agent_failed",
  "ambiguous_match",
  "approval_required",
  "audit_corrupt",
  "audit_unavailable",
  "backend_unavailable",
  "blocked_host",
  "budget_exceeded",
  "confine_unavailable",
  "connection_failed",
  "denied",
  "external",
  "internal",
  "invalid_input",
  "invalid_rule",
  "invalid_settings",
  "missing_dependency",
  "model_failed",
  "no_match",
  "no_space",
  "not_a_directory",
  "not_a_file",
  "not_found",
  "not_read",
  "permission_denied",
  "stale",
  "store_corrupt",
  "store_unavailable",
  "timeout",
  "too_large",
  "tool_failed",
  "tool_inactive",
  "unknown_outcome",
  "unknown_tool",
  "unsupported",
  "usage",
] as const;

/** One of the codes above. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What may accompany an error. */
export interface ToolgateErrorOptions {
  /** What to do next, in one sentence, for the model or the person who reads the message. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * The one error class: thrown for what a model, a user or the world did.
 * Anything else that is thrown is a bug and is reported as `internal`.
 * The message names the value that was wrong and carries no stack.
 */
export class ToolgateError extends Error {
  override readonly name: string = "ToolgateError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: ToolgateErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  /** Message and hint in one text, as a model is shown it. */
  get text(): string {
    return this.hint === undefined ? this.message : `${this.message} ${this.hint}`;
  }
}

/** Tells a {@link ToolgateError}, of one code if given, from any other thrown value; also across copies of the package. */
export function isToolgateError(error: unknown, code?: ErrorCode): error is ToolgateError {
  return (
    error instanceof Error &&
    error.name === "ToolgateError" &&
    "code" in error &&
    (code === undefined || error.code === code)
  );
}
