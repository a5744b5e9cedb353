import type Docker from "dockerode";
import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { type EngineAddress, engineAddress, spelled } from "./address.ts";
import { engineFailure } from "./failure.ts";

/** A connection to an engine. */
export interface Engine {
  readonly docker: Docker;
  /** `/var/run/docker.sock`, `host:2376`. */
  readonly name: string;
  /** On this machine, by a socket that closes when either side ends. */
  readonly isLocal: boolean;
  /** Lets go of the connections that are kept for the next request. */
  close(): void;
}

/** How often a connection over the network is asked whether it is still there, once it has been silent. */
const KEEP_ALIVE_MS = 15_000;
const ANSWERS_WITHIN_MS = 10_000;

/**
 * Connects to the engine at an address, or where `DOCKER_HOST` and the usual sockets say.
 * @throws ToolgateError `missing_dependency`, `backend_unavailable`, `invalid_input`, `unsupported`
 */
export async function connect(
  host: string | undefined = process.env.DOCKER_HOST,
  limitMs: number = ANSWERS_WITHIN_MS,
): Promise<Engine> {
  const address = engineAddress(host, process.env);
  const engine = await engineAt(await load(), address);
  try {
    const ping = engine.docker.ping();
    if (!(await inTime(ping, limitMs))) throw new Error(`it says nothing for ${limitMs} ms.`);
    await ping;
    return engine;
  } catch (error) {
    engine.close();
    throw new ToolgateError(
      "backend_unavailable",
      `No Docker engine answers at ${engine.name}: ${reason(error)}`,
      {
        hint: "Start it, or say with DOCKER_HOST where it is; `docker info` shows whether you may use it.",
        cause: error,
      },
    );
  }
}

/** What there is to know of an engine's machine. */
export interface EngineFacts {
  readonly processors: number;
  /** The engine is an ordinary user's: what a container's root does is that user's doing. */
  readonly rootless: boolean;
}

/** @throws ToolgateError `backend_unavailable` */
export async function engineFacts({ docker }: Engine): Promise<EngineFacts> {
  try {
    const { NCPU, SecurityOptions } = (await docker.info()) as {
      readonly NCPU: number;
      readonly SecurityOptions: readonly string[] | null;
    };
    return { processors: NCPU, rootless: (SecurityOptions ?? []).some((text) => /\brootless\b/.test(text)) };
  } catch (error) {
    throw engineFailure(error, "The engine doesn't say what it has");
  }
}

async function engineAt(Client: typeof Docker, address: EngineAddress): Promise<Engine> {
  const { Agent } = address.protocol === "https" ? await import("node:https") : await import("node:http");
  const agent = new Agent({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS });
  const options = { ...address, agent };
  return {
    docker: new Client(options),
    name: spelled(address),
    isLocal: address.socketPath !== undefined,
    close: () => agent.destroy(),
  };
}

async function load(): Promise<typeof Docker> {
  try {
    return (await import("dockerode")).default;
  } catch (error) {
    throw new ToolgateError("missing_dependency", "The Docker backend needs the package dockerode.", {
      hint: "Install it: npm install dockerode.",
      cause: error,
    });
  }
}

const KNOWN: Readonly<Record<string, string>> = {
  ENOENT: "there is no such socket.",
  EACCES: "this user may not use the socket.",
  ECONNREFUSED: "nobody listens there.",
};

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return KNOWN[code] ?? (error instanceof Error ? error.message : String(error));
}
