import type { Backend } from "../backend.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { randomHex } from "../lib/random-hex.ts";
import { posixBackend } from "./posix.ts";
import { sshTarget } from "./ssh/config.ts";
import {
  capability,
  confinedTransport,
  type FoundRemote,
  findRemoteBwrap,
  PRIVATE_TEMPORARY,
  writable,
} from "./ssh/confine.ts";
import { CONNECT_MS, connect } from "./ssh/connect.ts";
import { Links } from "./ssh/links.ts";
import { loadSsh2 } from "./ssh/load.ts";
import type { SshAccess } from "./ssh/options.ts";
import { survey } from "./ssh/survey.ts";
import { sshTransport } from "./ssh/transport.ts";

export type { SshAccess } from "./ssh/options.ts";

/** How an SSH backend is set up. */
export interface SshBackendOptions extends SshAccess {
  /** Where commands start: absolute, or below the home there. @default the home */
  readonly path?: string;
  /** Names of the server's variables to pass on to commands besides the usual ones. @default none */
  readonly inherit?: readonly string[];
  /** Variables set for every command. @default none */
  readonly env?: Readonly<Record<string, string>>;
}

const MAX_SESSIONS = 10;

/**
 * A machine that is reached by SSH, its host key known. Connects at once; a connection that is lost is made again when it is next
 * needed.
 * @throws ToolgateError `missing_dependency`, `backend_unavailable`, `permission_denied`, `not_found`, `unsupported`, `invalid_input`
 */
export async function sshBackend(options: SshBackendOptions): Promise<Backend> {
  const { path, inherit = [], env = {}, maxSessions = MAX_SESSIONS } = options;
  if (!Number.isInteger(maxSessions) || maxSessions < 1) {
    throw new ToolgateError("invalid_input", `Not a number of sessions: ${maxSessions}`);
  }
  const [ssh2, target] = await Promise.all([loadSsh2(), sshTarget(options)]);
  const links = new Links({
    connect: () => connect(ssh2, target),
    name: target.name,
    maxSessions,
    reconnectMs: target.access.connectTimeoutMs ?? CONNECT_MS,
  });
  try {
    const seen = await survey(links, path, target.name);
    const transport = sshTransport(links, seen.shell);
    // Tried when it is first asked for.
    let finding: Promise<FoundRemote> | undefined;
    const find = (): Promise<FoundRemote> => {
      finding ??= findRemoteBwrap(transport, seen);
      return finding;
    };
    const backend = posixBackend({
      id: `ssh:${target.name}`,
      transport,
      cwd: seen.cwd,
      home: seen.home,
      scratch: `/tmp/toolgate-${randomHex(9)}`,
      inherit,
      env,
      async confined(confinement) {
        const found = await find();
        if (!("bwrap" in found)) return found;
        // The real path, since a link can't be mounted on.
        const write = await Promise.all(writable(confinement).map((one) => backend.realpath(one)));
        const { network } = confinement;
        return {
          transport: confinedTransport(transport, found.bwrap, { write, network }),
          control: transport,
          env: { TMPDIR: PRIVATE_TEMPORARY },
        };
      },
      dispose: () => links.close(),
    });
    // The first look, which what is done first would otherwise have to wait for.
    await backend.stat(seen.cwd);
    return {
      ...backend,
      capabilities: async () => ({ ...(await backend.capabilities()), confine: capability(await find()) }),
    };
  } catch (error) {
    await links.close();
    throw error;
  }
}

/**
 * Whether the SSH backend can be used here, and, when a server is named, whether it lets us in and runs commands; when not,
 * why.
 */
export async function sshUsable(
  options?: SshBackendOptions,
): Promise<{ readonly usable: boolean; readonly why?: string }> {
  try {
    if (options === undefined) await loadSsh2();
    else await (await sshBackend(options))[Symbol.asyncDispose]();
    return { usable: true };
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { usable: false, why: error.text };
  }
}
