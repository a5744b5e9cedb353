import { ToolgateError } from "../../errors.ts";

/** No key was given: neither as an option nor in the environment. */
export function noKey(): ToolgateError {
  return new ToolgateError("backend_unavailable", "E2B needs an API key, and none is set.", {
    hint: "Set E2B_API_KEY, or pass apiKey; keys are made at https://e2b.dev/dashboard.",
  });
}

/** The sandbox doesn't exist any more. */
export function gone(id: string, cause?: unknown): ToolgateError {
  return new ToolgateError(
    "backend_unavailable",
    `The E2B sandbox ${id} is gone: it was ended or its time was over.`,
    {
      hint: 'What was in it is lost. Open a new one; a longer timeoutMs, or onDispose: "pause", keeps it for longer.',
      cause,
    },
  );
}

/** The connection into the sandbox broke while something ran. */
export function lostConnection(id: string, cause: Error): ToolgateError {
  const what = `The connection to the E2B sandbox ${id} was lost: ${cause.message}`;
  return new ToolgateError("backend_unavailable", what, {
    hint: "What was started may still be running there. Look at its state before it is started again.",
    cause,
  });
}

/** E2B has had too many requests. */
export function tooMany(cause: Error): ToolgateError {
  return new ToolgateError("backend_unavailable", `E2B limits the rate: ${cause.message}`, {
    hint: "Wait a minute and try again, or end sandboxes that nobody uses: the plan limits how many run and how often they are started.",
    cause,
  });
}

/** Says what the SDK threw. Its classes are known by name, so that another copy of it does no harm. */
export function sdkProblem(
  error: unknown,
  what: { readonly id?: string; readonly template?: string },
): unknown {
  if (!(error instanceof Error)) return error;
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (error.name === "AuthenticationError") {
    return new ToolgateError("backend_unavailable", "E2B refused the API key.", {
      hint: "Check E2B_API_KEY or apiKey; keys are made at https://e2b.dev/dashboard.",
      cause: error,
    });
  }
  if (error.name === "RateLimitError") return tooMany(error);
  if (error.name === "SandboxNotFoundError") return gone(what.id ?? "asked for", error);
  if (status === 404 && what.template !== undefined) {
    return new ToolgateError(
      "not_found",
      `E2B has no template ${JSON.stringify(what.template)} for this key.`,
      {
        hint: "Name one of yours, or leave it out for `base`.",
        cause: error,
      },
    );
  }
  return new ToolgateError("backend_unavailable", `E2B: ${reason(error)}`, { cause: error });
}

/** A failed fetch says nothing itself; its cause does. */
function reason(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
