import type { Backend } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { posixBackend } from "../posix.ts";
import type { E2BBackendOptions } from "./options.ts";
import { openSandbox } from "./sandbox.ts";
import { lookAround } from "./surroundings.ts";
import { e2bTransport } from "./transport.ts";

const CONFINE = {
  available: false,
  why: "An E2B sandbox is a machine of its own; single runs aren't confined inside it.",
};

/** What `e2bBackend` promises. */
export async function openE2B(options: E2BBackendOptions): Promise<Backend> {
  if (options.cwd !== undefined && !options.cwd.startsWith("/")) {
    throw new ToolgateError("usage", `Not an absolute path: ${options.cwd}`);
  }
  const sandbox = await openSandbox(options);
  try {
    const transport = e2bTransport(sandbox);
    const { cwd, home, path } = await lookAround(transport, options.cwd);
    return posixBackend({
      id: `e2b:${sandbox.id}`,
      scratch: `/tmp/toolgate-${randomHex(8)}`,
      env: { PATH: path, ...options.envs },
      confine: CONFINE,
      dispose: () => sandbox.close(),
      ...{ transport, cwd, home },
    });
  } catch (error) {
    await sandbox.abandon();
    throw error;
  }
}
