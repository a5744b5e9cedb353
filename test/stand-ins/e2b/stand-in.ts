import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A running stand-in for the E2B cloud, a process of its own. */
export interface E2BStandIn extends AsyncDisposable {
  /** Of the control API and of every sandbox. */
  readonly url: string;
  readonly apiKey: string;
  /** Options that lead `e2bBackend` to it. */
  readonly options: { readonly apiKey: string; readonly apiUrl: string; readonly sandboxUrl: string };
  /** The requests to the control API since the last look. */
  requests(): Promise<readonly string[]>;
  /** Breaks the connections into a sandbox in the middle. */
  cut(id: string): Promise<void>;
  /** Ends everything in a sandbox, while the control API thinks that it runs. */
  endEnvd(id: string): Promise<void>;
  /** Refuses the next control requests. */
  refuse(times: number, status: number, retryAfter?: string): Promise<void>;
  /** Holds back what any envd says, without closing anything. */
  silence(on: boolean): Promise<void>;
  /** What the control API thinks of a sandbox. */
  state(id: string): Promise<"running" | "paused" | undefined>;
}

/** Starts the stand-in on a free port of the loopback; with `await using` it and all sandboxes end. */
export async function startE2BStandIn(): Promise<E2BStandIn> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server-child.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  const { url, apiKey } = JSON.parse(String(line));
  const flip = async (name: string, body: object = {}): Promise<unknown> => {
    const response = await fetch(`${url}/stand-in/${name}`, { method: "POST", body: JSON.stringify(body) });
    return response.json();
  };
  return {
    url,
    apiKey,
    options: { apiKey, apiUrl: url, sandboxUrl: url },
    async requests() {
      const list = await flip("requests");
      return Array.isArray(list) ? list.map(String) : [];
    },
    async cut(id) {
      await flip("cut", { id });
    },
    async endEnvd(id) {
      await flip("end-envd", { id });
    },
    async refuse(times, status, retryAfter) {
      await flip("refuse", { times, status, retryAfter });
    },
    async silence(on) {
      await flip("silence", { on });
    },
    async state(id) {
      const found = await flip("state", { id });
      if (typeof found !== "object" || found === null || !("state" in found)) return undefined;
      return found.state === "paused" || found.state === "running" ? found.state : undefined;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}
