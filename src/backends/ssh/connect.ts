import type { Algorithms, Client, ServerHostKeyAlgorithm } from "ssh2";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import { errorCode } from "../system-error.ts";
import { knownHost } from "./known-hosts.ts";
import type { Ssh2 } from "./load.ts";
import { type Login, login } from "./login.ts";
import type { SshTarget } from "./options.ts";

/** How long a connection may take to be ready. */
export const CONNECT_MS = 20_000;
/** A connection that says nothing for this long is asked whether it is there, and given up after three times. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVES = 3;

/** Which algorithms a kind of key is used with. */
const ALGORITHMS: ReadonlyMap<string, readonly ServerHostKeyAlgorithm[]> = new Map([
  ["ssh-ed25519", ["ssh-ed25519"]],
  ["ecdsa-sha2-nistp256", ["ecdsa-sha2-nistp256"]],
  ["ecdsa-sha2-nistp384", ["ecdsa-sha2-nistp384"]],
  ["ecdsa-sha2-nistp521", ["ecdsa-sha2-nistp521"]],
  ["ssh-rsa", ["rsa-sha2-512", "rsa-sha2-256"]],
]);

/** An error that the next attempt may not meet. */
export class PassingError extends ToolgateError {}

/**
 * Connects to a server whose host key is known and that lets us in.
 * @throws ToolgateError `backend_unavailable`; `permission_denied` when it doesn't let us in
 */
export function connect(ssh2: Ssh2, target: SshTarget): Promise<Client> {
  const host = knownHost(target);
  const ways = login(ssh2, target);
  const client = new ssh2.Client();
  return new Promise((resolve, reject) => {
    let refusal: unknown;
    let reason: unknown;
    client.on("error", (error) => {
      // An agent that can't be asked is one way less, no more.
      if (error.level !== "agent") reason ??= error;
    });
    client.on("ready", () => {
      // Many small questions and answers: each would wait for the one before to be acknowledged.
      client.setNoDelay(true);
      resolve(client);
    });
    client.on("close", () => reject(refusal ?? explain(reason, target, ways)));
    client.connect({
      host: target.host,
      port: target.port,
      username: target.user,
      authHandler: ways.handler,
      algorithms: algorithms(host.types),
      readyTimeout: target.access.connectTimeoutMs ?? CONNECT_MS,
      keepaliveInterval: KEEP_ALIVE_MS,
      keepaliveCountMax: KEEP_ALIVES,
      hostVerifier(key: Buffer) {
        try {
          refusal = host.check(key);
        } catch (error) {
          refusal = error;
        }
        return refusal === undefined;
      },
    });
  });
}

/** The known kinds of key first: a server's key of another kind would be an unknown one. */
function algorithms(types: readonly string[]): Algorithms {
  const known = types.flatMap((type) => ALGORITHMS.get(type) ?? []);
  const others = [...ALGORITHMS.values()].flat().filter((one) => !known.includes(one));
  return { serverHostKey: [...known, ...others] };
}

/** Network trouble that goes by itself. */
const PASSING = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
];

/** What is told otherwise than the system does. */
const PLAINLY: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there.",
  ENOTFOUND: "no host of that name is known.",
  ETIMEDOUT: "it doesn't answer.",
  EHOSTUNREACH: "no way leads there.",
};

function explain(error: unknown, target: SshTarget, ways: Login): ToolgateError {
  if (ways.failure !== undefined && isToolgateError(ways.failure.reason)) return ways.failure.reason;
  const said = error instanceof Error ? error.message : "it closed the connection.";
  const level = error instanceof Error && "level" in error ? error.level : undefined;
  if (level === "client-authentication" || /authentication/i.test(said) || ways.failure !== undefined) {
    const tried = ways.tried.length === 0 ? "there was nothing to try" : `tried ${ways.tried.join(", ")}`;
    return new ToolgateError("permission_denied", `${target.name} doesn't let us in: ${tried}.`, {
      hint: "Check that `ssh` itself gets in, with the same user and key.",
      cause: ways.failure?.reason ?? error,
    });
  }
  const passing = PASSING.includes(errorCode(error)) || error === undefined || /before handshake/i.test(said);
  const Kind = passing ? PassingError : ToolgateError;
  const why = PLAINLY[errorCode(error)] ?? said.replace(/[^.!?]$/, "$&.");
  return new Kind("backend_unavailable", `Can't connect to ${target.name}: ${why}`, {
    hint: "Check that the server runs and can be reached: ssh -v shows more.",
    cause: error,
  });
}
