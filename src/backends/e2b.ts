import type { Backend } from "../backend.ts";
import { ToolgateError } from "../errors.ts";
import { randomHex } from "../lib/random-hex.ts";
import type { E2BBackendOptions } from "./e2b/options.ts";
import { openSandbox } from "./e2b/sandbox.ts";
import { lookAround } from "./e2b/surroundings.ts";
import { e2bTransport } from "./e2b/transport.ts";
import { posixBackend } from "./posix.ts";

export type { E2BBackendOptions } from "./e2b/options.ts";

const CONFINE = {
  available: false,
  why: "An E2B sandbox is a machine of its own; single runs aren't confined inside it.",
};

/**
 * A sandbox in the E2B cloud as a place to work in: a new one, or the one of that `name`. Needs the package `e2b` and a key.
 * @throws ToolgateError `missing_dependency`, `usage`, `backend_unavailable`, `not_found` for a template, `unsupported` for an old one
 */
export async function e2bBackend(options: E2BBackendOptions = {}): Promise<Backend> {
  if (options.cwd !== undefined && !options.cwd.startsWith("/")) {
    throw new ToolgateError("usage", `Not an absolute path: ${options.cwd}`);
  }
  const sandbox = await openSandbox(options);
  try {
    const transport = e2bTransport(sandbox);
    const { cwd, home, path } = await lookAround(transport, options.cwd);
    return posixBackend({
      id: `e2b:${sandbox.id}`,
      transport,
      cwd,
      home,
      scratch: `/tmp/toolgate-${randomHex(8)}`,
      env: { PATH: path, ...options.envs },
      confine: CONFINE,
      dispose: () => sandbox.close(),
    });
  } catch (error) {
    await sandbox.abandon();
    throw error;
  }
}
