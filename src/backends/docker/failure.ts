import { isToolgateError, ToolgateError, type ToolgateErrorOptions } from "../../errors.ts";

/** The HTTP status that the engine answered with; `undefined` when it gave no answer at all. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
    ? error.statusCode
    : undefined;
}

/** What the engine said, in its own words and without the client's frame around them. */
export function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const body: unknown = "json" in error ? error.json : undefined;
  const said = isMessage(body) ? body.message : error.message;
  return said.replace(/^\(HTTP code \d+\)[^-]*- /, "").trim();
}

/** A {@link ToolgateError} for something that the engine refused or could not be asked. Our own errors stay as they are. */
export function engineFailure(
  error: unknown,
  what: string,
  options: ToolgateErrorOptions = {},
): ToolgateError {
  if (isToolgateError(error)) return error;
  return new ToolgateError("backend_unavailable", `${what}: ${saidBy(error)}`, { cause: error, ...options });
}

/** Goes on when a request fails with one of these statuses: what it was to bring about is so already. */
export async function tolerating<T>(
  statuses: readonly number[],
  request: Promise<T>,
): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    const status = statusOf(error);
    if (status !== undefined && statuses.includes(status)) return undefined;
    throw error;
  }
}

function isMessage(value: unknown): value is { readonly message: string } {
  return (
    typeof value === "object" && value !== null && "message" in value && typeof value.message === "string"
  );
}
