/**
 * A STAND-IN for a Kubernetes API server, since none can be had where the tests run. It speaks the part of the API that the backend
 * uses (pods, claims, events, logs, exec, watches, access reviews) over HTTP and WebSocket; pods go through real phases, and what runs
 * in them runs for real, in containers made by bubblewrap. What passes against it has not been tried on a cluster.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { Access, type PolicyRule } from "./access.ts";
import { admitExec, answer, refusal, respond } from "./api.ts";
import { Cluster } from "./cluster.ts";

/** How the stand-in behaves. */
export interface StandInOptions {
  /** What the client may do. @default everything */
  readonly rules?: readonly PolicyRule[];
  /** Exec protocols, as they are preferred. @default v5, then v4 */
  readonly protocols?: readonly string[];
  /** Pods at most. @default 100 */
  readonly maxPods?: number;
  /** Processes that a pod may have, as kubelets limit them. @default 1024 */
  readonly podPidsLimit?: number;
  /** A certificate and its key: HTTPS. @default HTTP */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A running stand-in and its switches. */
export interface StandIn extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly access: Access;
  readonly namespace: string;
  /** A file by which clients reach it. */
  readonly kubeconfig: string;
  /** Breaks every connection. */
  cut(): void;
  /** Leaves every exec connection open and silent from now on, as a dead network does. */
  freeze(): void;
  /** Requests so far, `GET /api/…`. */
  readonly requests: readonly string[];
}

/** `crashing` has a main process that ends at once. */
const IMAGES = { "debian:12": undefined, crashing: ["sh", "-c", "echo no such thing: /bin/it; exit 3"] };
const NAMESPACE = "sandboxes";
const TOKEN = "stand-in-token";
const V5 = "v5.channel.k8s.io";
const V4 = "v4.channel.k8s.io";

/** Starts one on a free port of the loopback address. */
export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { rules, protocols = [V5, V4], maxPods = 100, podPidsLimit = 1024, tls } = options;
  const folder = mkdtempSync(join(tmpdir(), "toolgate-kubernetes-stand-in-"));
  const cluster = new Cluster({
    namespace: NAMESPACE,
    folder,
    images: IMAGES,
    ...{ cpus: 4, podPidsLimit, restricted: true, maxPods },
  });
  const access = new Access(TOKEN, NAMESPACE, rules);
  const requests: string[] = [];
  const connections = new Set<Socket>();
  const execs = new Set<WebSocket>();
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url}`);
    answer({ cluster, access }, request, response).catch((error) => respond(response, error));
  });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => protocols.find((one) => offered.has(one)) ?? false,
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    requests.push(`${request.method} ${request.url}`);
    socket.on("error", () => undefined);
    try {
      const begin = admitExec({ cluster, access }, request, protocols);
      sockets.handleUpgrade(request, socket, head, (ws) => {
        execs.add(ws);
        ws.on("close", () => execs.delete(ws));
        begin(ws);
      });
    } catch (error) {
      const { code, body } = refusal(error);
      const text = body === undefined ? "" : JSON.stringify(body);
      const type = text === "" ? "text/plain" : "application/json";
      socket.end(
        `HTTP/1.1 ${code} No\r\nContent-Type: ${type}\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      );
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText(portOf(server.address()), tls?.cert), { mode: 0o600 });
  const cut = (): void => {
    for (const socket of connections) socket.destroy();
  };
  return {
    ...{ cluster, access, namespace: NAMESPACE, kubeconfig, requests, cut },
    freeze() {
      for (const ws of execs) ws.pause();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
      await cluster.close();
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A kubeconfig with one context. */
function kubeconfigText(port: number, cert: string | undefined): string {
  const cluster =
    cert === undefined
      ? { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true }
      : {
          server: `https://127.0.0.1:${port}`,
          "certificate-authority-data": Buffer.from(cert).toString("base64"),
        };
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "stand-in" },
    clusters: [{ name: "stand-in", cluster }],
    users: [{ name: "tester", user: { token: TOKEN } }],
    contexts: [{ name: "stand-in", context: { cluster: "stand-in", user: "tester", namespace: NAMESPACE } }],
  });
}
