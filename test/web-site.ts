import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";

/** A web site of a test on this machine. */
export interface WebSite extends AsyncDisposable {
  readonly port: number;
  /** What was asked for, in order: `GET /path`. */
  readonly asked: readonly string[];
  /** A URL below a name, which the test's own resolver leads here. @default 127.0.0.1 */
  url(path: string, host?: string): string;
}

/** What a path answers: a body as HTML, or whatever the listener does. */
export type Pages = Readonly<Record<string, string | RequestListener>>;

/** Where and how a site listens. */
export interface SiteOptions {
  /** An address of the loopback network. @default 127.0.0.1 */
  readonly address?: string;
  /** @default a free one */
  readonly port?: number;
  /** With TLS. */
  readonly secure?: { readonly key: string; readonly cert: string };
}

/** Serves pages on the loopback network. What isn't there is a 404. */
export async function webSite(
  pages: Pages,
  { address: at = "127.0.0.1", port: wanted = 0, secure }: SiteOptions = {},
): Promise<WebSite> {
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const page = pages[new URL(request.url ?? "/", "http://x").pathname];
    if (typeof page === "function") page(request, response);
    else if (page === undefined) response.writeHead(404, { "content-type": "text/plain" }).end("Not here.");
    else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  };
  const server: Server = secure === undefined ? createServer(listener) : createSecureServer(secure, listener);
  server.listen(wanted, at);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    asked,
    url: (path, host = at) => `${secure === undefined ? "http" : "https"}://${host}:${port}${path}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
