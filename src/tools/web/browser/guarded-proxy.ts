import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isToolgateError } from "../../../errors.ts";
import type { MaybePromise } from "../../../lib/json.ts";
import type { WebAccess } from "../access.ts";
import { dial } from "../dial.ts";
import type { Guard, Place } from "../guard.ts";
import { readTarget } from "../target.ts";

/** What the proxy lets through. */
export interface ProxyRules {
  readonly guard: Guard;
  readonly access: WebAccess;
  /** Whether rules leave a host alone. */
  readonly mayReach: (host: string) => MaybePromise<boolean>;
  /** Bytes from all sites together; after that there are no more connections. */
  readonly maxBytes: number;
}

/** A proxy on this machine through which a browser's every connection goes, names included, so that the guard's word holds for them all. */
export interface GuardedProxy extends AsyncDisposable {
  readonly port: number;
  /** By host: why it wasn't reached. */
  readonly failures: ReadonlyMap<string, unknown>;
}

/** Starts one. */
export async function guardedProxy(rules: ProxyRules): Promise<GuardedProxy> {
  const running = new Running(rules);
  const server = createServer((asked, answer) => void running.pass(asked, answer));
  server.on("connect", (asked, client, head) => void running.tunnel(asked, client, head));
  server.on("connection", (socket) => running.keep(socket));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("The proxy listens at no port.");
  return {
    port: address.port,
    failures: running.failures,
    async [Symbol.asyncDispose]() {
      running.end();
      await new Promise((closed) => server.close(closed));
    },
  };
}

class Running {
  readonly failures = new Map<string, unknown>();
  readonly #rules: ProxyRules;
  readonly #sockets = new Set<Duplex>();
  #bytes = 0;

  constructor(rules: ProxyRules) {
    this.#rules = rules;
  }

  /** A request in the open: it is sent on over a connection of its own. */
  async pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const upstream = await this.#reach(asked.url ?? "");
    if (typeof upstream === "string") {
      answer.writeHead(403, { "content-type": "text/plain" }).end(upstream);
      return;
    }
    const url = new URL(asked.url ?? "");
    const { "proxy-connection": _, "proxy-authorization": __, ...headers } = asked.headers;
    const sent = request({
      createConnection: () => upstream,
      method: asked.method,
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, connection: "close" },
    });
    sent.once("response", (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
      got.once("error", () => answer.destroy());
    });
    sent.once("error", () => answer.destroy());
    answer.once("close", () => upstream.destroy());
    asked.pipe(sent);
  }

  /** A connection for whatever the browser speaks: TLS, web sockets. */
  async tunnel(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    this.keep(client);
    const upstream = await this.#reach(`https://${asked.url}/`);
    if (typeof upstream === "string") {
      client.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    upstream.write(head);
    client.pipe(upstream).pipe(client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  }

  keep(socket: Duplex): void {
    this.#sockets.add(socket);
    // A connection that breaks is over for both sides; there is nobody to tell.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A connection, or why there is none. */
  async #reach(text: string): Promise<Socket | string> {
    const { guard, access, mayReach, maxBytes } = this.#rules;
    let place: Place | undefined;
    try {
      place = readTarget(text);
      if (!(await mayReach(place.host))) throw new Error(`A rule speaks against ${place.host}.`);
      if (this.#bytes > maxBytes) throw new Error("The page has loaded too much.");
      const socket = await dial(guard, access, place);
      this.keep(socket);
      socket.once("close", () => {
        this.#bytes += socket.bytesRead;
      });
      return socket;
    } catch (error) {
      if (place !== undefined) this.failures.set(place.host, error);
      return isToolgateError(error) || error instanceof Error ? error.message : String(error);
    }
  }
}
