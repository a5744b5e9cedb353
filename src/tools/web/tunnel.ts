import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { ToolgateError } from "../../errors.ts";

/**
 * A connection through an HTTP proxy, which is told the address, so that it has no name to look up.
 * @throws ToolgateError `connection_failed`
 */
export function openTunnel(
  proxy: URL,
  to: { readonly address: string; readonly port: number },
  timeoutMs: number,
): Promise<Socket> {
  const authority = `${to.address.includes(":") ? `[${to.address}]` : to.address}:${to.port}`;
  const { request } = proxy.protocol === "https:" ? https : http;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const failed = (why: string, cause?: unknown): void =>
    reject(new ToolgateError("connection_failed", `The proxy ${proxy.host} ${why}.`, { cause }));
  const asking = request({
    host: proxy.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: proxy.port === "" ? undefined : proxy.port,
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...credentials(proxy) },
    agent: false,
    timeout: timeoutMs,
  });
  asking.once("connect", ({ statusCode = 0 }, socket: Socket, head) => {
    if (statusCode === 200 && head.length === 0) return resolve(socket.setTimeout(0));
    socket.destroy();
    failed(statusCode === 200 ? "talks out of turn" : `refuses ${authority} (${statusCode})`);
  });
  asking.once("response", ({ statusCode = 0 }) => {
    asking.destroy();
    failed(`refuses ${authority} (${statusCode})`);
  });
  asking.once("timeout", () => asking.destroy(new Error("It takes too long.")));
  asking.once("error", (cause) => failed("can't be reached", cause));
  asking.end();
  return promise;
}

function credentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(both).toString("base64")}` };
}
