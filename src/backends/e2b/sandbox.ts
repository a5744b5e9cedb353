import type { SandboxOpts } from "e2b";
import { ToolgateError } from "../../errors.ts";
import type { Endpoint } from "./connect.ts";
import { type Lease, lease } from "./lease.ts";
import type { E2BAccess, E2BBackendOptions } from "./options.ts";
import { sdkProblem } from "./problems.ts";
import { type E2BSdk, loadE2B, type ReachedSandbox, sdkAccess } from "./sdk.ts";

/** A sandbox in use. */
export interface OpenSandbox {
  readonly id: string;
  /** Changes when the sandbox is resumed. */
  readonly endpoint: Endpoint;
  readonly lease: Lease;
  /** Connects again, which resumes a sandbox that was paused. @throws ToolgateError `backend_unavailable` when it is gone */
  revive(): Promise<void>;
  /** False only when E2B says so. */
  isRunning(): Promise<boolean>;
  /** Kills it, pauses it or lets it be, as the options say. */
  close(): Promise<void>;
  /** Kills it when it was made just now; one that was found is left as it is. */
  abandon(): Promise<void>;
}

/** The metadata by which a named sandbox is found again. */
export const NAME_KEY = "toolgate.name";
const DEFAULT_MS = 300_000;
const HEALTH_MS = 5000;
/** The first whose standard input can be closed. */
const LEAST_ENVD = [0, 5, 2];

/** Makes a sandbox, or finds the one of that name. @throws ToolgateError `missing_dependency`, `backend_unavailable`, `not_found` */
export async function openSandbox(options: E2BBackendOptions): Promise<OpenSandbox> {
  const { timeoutMs = DEFAULT_MS } = options;
  const sdk = await loadE2B(options);
  const found = await reconnect(sdk, options, timeoutMs);
  const reached = found ?? (await create(sdk, options, timeoutMs));
  const open = inUse(sdk, reached, { ...options, timeoutMs, isNew: found === undefined });
  const version = reached.envdVersion;
  if (isOld(version)) {
    await open.abandon();
    throw new ToolgateError("unsupported", `This template's envd ${version} can't close a standard input.`, {
      hint: "Build the template again: it gets the present envd.",
    });
  }
  return open;
}

function inUse(
  sdk: E2BSdk,
  first: ReachedSandbox,
  options: E2BBackendOptions & { readonly timeoutMs: number; readonly isNew: boolean },
): OpenSandbox {
  const { timeoutMs, onDispose = "kill", user } = options;
  const id = first.sandbox.sandboxId;
  let now = first;
  let reviving: Promise<ReachedSandbox> | undefined;
  const held = lease(timeoutMs, () => now.sandbox.setTimeout(timeoutMs));
  const leave = async (how: "kill" | "pause" | "leave"): Promise<void> => {
    held.end();
    try {
      if (how === "pause") await now.sandbox.pause();
      else if (how === "kill") await now.sandbox.kill();
    } catch (error) {
      // One that has gone by itself is as good as closed.
      if (!isNotFound(error)) throw sdkProblem(error, { id });
    }
  };
  return {
    id,
    get endpoint() {
      const { url, headers } = now.endpoint;
      // Whom to run as, in the way that envd takes it.
      const as =
        user === undefined ? {} : { authorization: `Basic ${Buffer.from(`${user}:`).toString("base64")}` };
      return { url, headers: { ...headers, ...as } };
    },
    lease: held,
    async revive() {
      reviving ??= sdk.connect(id, { ...sdkAccess(options), timeoutMs });
      try {
        now = await reviving;
      } catch (error) {
        throw sdkProblem(error, { id });
      } finally {
        reviving = undefined;
      }
    },
    async isRunning() {
      try {
        return await now.sandbox.isRunning({ requestTimeoutMs: HEALTH_MS });
      } catch {
        // No answer is no answer.
        return true;
      }
    },
    close: () => leave(onDispose),
    abandon: () => leave(options.isNew ? "kill" : "leave"),
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === "SandboxNotFoundError";
}

/** Ends all sandboxes of that name. */
export async function removeSandboxes(name: string, access: E2BAccess): Promise<void> {
  const sdk = await loadE2B(access);
  try {
    const found = await sdk.find({ [NAME_KEY]: name }, sdkAccess(access));
    await Promise.all(found.map(({ sandboxId }) => sdk.kill(sandboxId, sdkAccess(access))));
  } catch (error) {
    throw sdkProblem(error, {});
  }
}

/** The newest sandbox of that name that can be connected to. */
async function reconnect(
  sdk: E2BSdk,
  options: E2BBackendOptions,
  timeoutMs: number,
): Promise<ReachedSandbox | undefined> {
  if (options.name === undefined) return undefined;
  try {
    const candidates = await sdk.find({ [NAME_KEY]: options.name }, sdkAccess(options));
    for (const { sandboxId } of candidates) {
      try {
        return await sdk.connect(sandboxId, { ...sdkAccess(options), timeoutMs });
      } catch (error) {
        // It ended between the two requests.
        if (!isNotFound(error)) throw error;
      }
    }
    return undefined;
  } catch (error) {
    throw sdkProblem(error, {});
  }
}

async function create(sdk: E2BSdk, options: E2BBackendOptions, timeoutMs: number): Promise<ReachedSandbox> {
  const { template = "base", name, metadata, envs, onDispose } = options;
  const wanted: SandboxOpts = {
    ...sdkAccess(options),
    timeoutMs,
    metadata: { ...metadata, ...(name === undefined ? {} : { [NAME_KEY]: name }) },
    ...(envs === undefined ? {} : { envs: { ...envs } }),
    // Who wants to come back doesn't want to lose it while away.
    ...(onDispose === "pause" ? { lifecycle: { onTimeout: "pause" } } : {}),
  };
  try {
    return await sdk.create(template, wanted);
  } catch (error) {
    throw sdkProblem(error, { template });
  }
}

function isOld(version: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of LEAST_ENVD.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}
