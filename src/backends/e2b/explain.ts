import { ToolgateError } from "../../errors.ts";
import { ConnectionLost, EnvdRefusal } from "./connect.ts";
import { gone, lostConnection, tooMany } from "./problems.ts";
import type { OpenSandbox } from "./sandbox.ts";

/** Whether a call never reached a sandbox: it is paused, ended, or its envd doesn't run. */
export function isAbsent(error: unknown): error is EnvdRefusal {
  if (!(error instanceof EnvdRefusal)) return false;
  return (
    error.status === 502 || (error.code === "http" && error.status === 404) || error.code === "unavailable"
  );
}

/** Says what went wrong between here and a sandbox. Anything else, such as a caller's own failure, passes unchanged. */
export async function explain(error: unknown, open: OpenSandbox): Promise<unknown> {
  if (error instanceof ConnectionLost) {
    return (await open.isRunning()) ? lostConnection(open.id, error) : gone(open.id, error);
  }
  if (!(error instanceof EnvdRefusal)) return error;
  if (error.code === "resource_exhausted" || error.status === 429) return tooMany(error);
  const what = isAbsent(error) ? "doesn't answer" : "refused a request";
  return new ToolgateError("backend_unavailable", `The E2B sandbox ${open.id} ${what}: ${error.message}`, {
    cause: error,
  });
}
