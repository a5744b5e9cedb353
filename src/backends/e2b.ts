import type { Backend } from "../backend.ts";
import type { E2BAccess, E2BBackendOptions } from "./e2b/options.ts";

export type { E2BAccess, E2BBackendOptions } from "./e2b/options.ts";

/**
 * A sandbox in the E2B cloud as a place to work in: a new one, or the one of that `name`. Needs the package `e2b` and a key.
 * @throws ToolgateError `missing_dependency`, `usage`, `backend_unavailable`, `not_found` for a template, `unsupported` for an old one
 */
export async function e2bBackend(options: E2BBackendOptions = {}): Promise<Backend> {
  const { openE2B } = await import("./e2b/open.ts");
  return openE2B(options);
}

/** Ends every sandbox of that name, running or paused, with all that is in it. @throws ToolgateError `missing_dependency`, `backend_unavailable` */
export async function removeE2BSandboxes(name: string, access: E2BAccess = {}): Promise<void> {
  const { removeSandboxes } = await import("./e2b/sandbox.ts");
  await removeSandboxes(name, access);
}

/** Whether E2B can be used, found out by asking it with the key that is set, without opening anything; when not, why. */
export async function e2bUsable(
  access: E2BAccess = {},
): Promise<{ readonly usable: boolean; readonly why?: string }> {
  const { usable } = await import("./e2b/usable.ts");
  return usable(access);
}
