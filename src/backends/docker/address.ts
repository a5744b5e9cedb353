import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ToolgateError } from "../../errors.ts";

/** Where an engine answers, as `docker-modem` takes it. Every key is there, so that nothing of the environment slips in between. */
export interface EngineAddress {
  readonly socketPath: string | undefined;
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly protocol: "http" | "https" | undefined;
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

const NOWHERE: EngineAddress = {
  socketPath: undefined,
  host: undefined,
  port: undefined,
  protocol: undefined,
  ca: undefined,
  cert: undefined,
  key: undefined,
};

/**
 * Reads an address as `DOCKER_HOST` spells it: `unix:///path`, `tcp://host:port`. Without one, the first socket that exists of Docker's,
 * Docker Desktop's, rootless Docker's and Podman's.
 * @throws ToolgateError `usage`, `unsupported`
 */
export function engineAddress(
  host: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): EngineAddress {
  if (host === undefined || host === "") return { ...NOWHERE, socketPath: usualSocket(env) };
  const [, scheme = "tcp", rest = ""] = /^(?:([a-z]+):\/\/)?(.*)$/s.exec(host) ?? [];
  if (scheme === "unix" || scheme === "npipe") return { ...NOWHERE, socketPath: rest || usualSocket(env) };
  if (scheme === "ssh") {
    throw new ToolgateError("unsupported", `toolgate doesn't reach Docker by ${host}.`, {
      hint: "Forward its socket (ssh -L /tmp/docker.sock:/var/run/docker.sock …) and set DOCKER_HOST=unix:///tmp/docker.sock.",
    });
  }
  if (!["tcp", "http", "https"].includes(scheme) || !URL.canParse(`tcp://${rest}`)) {
    throw new ToolgateError("usage", `${JSON.stringify(host)} is no address of a Docker engine.`, {
      hint: "Write it as unix:///var/run/docker.sock or tcp://host:2376.",
    });
  }
  // With its own scheme `URL` would drop a port 80 that was written out.
  return overNetwork(new URL(`tcp://${rest}`), scheme === "https", env);
}

function overNetwork(
  { hostname, port }: URL,
  asked: boolean,
  env: Readonly<Record<string, string | undefined>>,
): EngineAddress {
  const secure = asked || port === "2376" || (env.DOCKER_TLS_VERIFY ?? "") !== "";
  return {
    ...NOWHERE,
    host: hostname,
    port: port || (secure ? "2376" : "2375"),
    protocol: secure ? "https" : "http",
    ...(secure ? certificates(env) : {}),
  };
}

/** An address as one reads it in a message. */
export function spelled({ socketPath, host, port }: EngineAddress): string {
  return socketPath ?? `${host}:${port}`;
}

function usualSocket(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === "win32") return "//./pipe/docker_engine";
  const usual = "/var/run/docker.sock";
  const run = env.XDG_RUNTIME_DIR;
  const candidates = [
    usual,
    join(homedir(), ".docker/run/docker.sock"),
    ...(run === undefined ? [] : [join(run, "docker.sock"), join(run, "podman/podman.sock")]),
    "/run/podman/podman.sock",
  ];
  return candidates.find((path) => existsSync(path)) ?? usual;
}

function certificates(env: Readonly<Record<string, string | undefined>>): Partial<EngineAddress> {
  const folder = env.DOCKER_CERT_PATH ?? join(homedir(), ".docker");
  const read = (name: string): Buffer | undefined => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path) : undefined;
  };
  return { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") };
}
