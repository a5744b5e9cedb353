import type { IncomingMessage } from "node:http";
import type { ClientOptions, WebSocket } from "ws";
import { ToolgateError } from "../../errors.ts";
import type { KubernetesClient } from "./client.ts";
import { readStatus } from "./failure.ts";
import { CONTAINER } from "./pod-spec.ts";

/** How the two ends of an exec connection talk. Version 5 can close standard input. */
export type ExecProtocol = "v5.channel.k8s.io" | "v4.channel.k8s.io";

/** The connection was refused before anything was started. */
export class ExecRefused extends Error {
  /** The HTTP status; `undefined` when the server couldn't be reached. */
  readonly status: number | undefined;
  /** Whether it was the protocol that the server doesn't have. */
  readonly protocol: boolean;

  constructor(status: number | undefined, message: string, protocol: boolean, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.protocol = protocol;
  }
}

const HANDSHAKE_MS = 30_000;
/**
 * Where no intermediary sees the messages, which is all that their masks are for, the masks stay zero: masking would copy everything
 * that is sent once more, and memory wouldn't stay flat.
 */
const UNSEEN = /^(https:|http:\/\/(127\.|localhost[:/]|\[::1\]))/;
/** Longest refusal that is read. */
const REFUSAL_BYTES = 16 * 1024;

/**
 * Opens a connection that runs a program in a pod's container. The package's own `Exec` isn't used: it has no back-pressure, ends
 * standard input by closing the whole connection where the server speaks version 4, and doesn't say why it was refused.
 * `take` gets every message from the first on.
 */
export async function openExec(
  client: KubernetesClient,
  pod: string,
  argv: readonly string[],
  how: {
    readonly protocol: ExecProtocol;
    readonly stdin: boolean;
    readonly signal: AbortSignal | undefined;
    readonly take: (socket: WebSocket, message: Buffer) => void;
  },
): Promise<WebSocket> {
  const { default: Socket } = await import("ws");
  const query = new URLSearchParams({ container: CONTAINER, stdin: String(how.stdin) });
  for (const [name, value] of [
    ["stdout", "true"],
    ["stderr", "true"],
    ["tty", "false"],
  ] as const) {
    query.set(name, value);
  }
  for (const word of argv) query.append("command", word);
  const path = `/api/v1/namespaces/${client.namespace}/pods/${pod}/exec?${query}`;
  const options: ClientOptions = {
    handshakeTimeout: HANDSHAKE_MS,
    perMessageDeflate: false,
    ...(UNSEEN.test(client.server) ? { generateMask: () => undefined } : {}),
  };
  await client.config.applyToHTTPSOptions(options);
  if (how.signal?.aborted) throw new ToolgateError("aborted", "The run was aborted.");
  const socket = new Socket(`${client.server.replace(/^http/, "ws")}${path}`, [how.protocol], options);
  socket.on("message", (data: Buffer) => how.take(socket, data));
  return await opened(socket, how.signal);
}

function opened(socket: WebSocket, signal: AbortSignal | undefined): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.terminate();
      reject(new ToolgateError("aborted", "The run was aborted."));
    };
    signal?.addEventListener("abort", abort, { once: true });
    const settled = (): void => signal?.removeEventListener("abort", abort);
    socket.on("open", () => {
      settled();
      resolve(socket);
    });
    socket.on("unexpected-response", (_request, response: IncomingMessage) => {
      settled();
      void refusalOf(response).then((refused) => {
        socket.terminate();
        reject(refused);
      });
    });
    // Stays for the connection's whole life: what breaks it is told by `close`.
    socket.on("error", (error) => {
      settled();
      const protocol = error.message.includes("subprotocol");
      reject(new ExecRefused(undefined, error.message, protocol, error));
    });
  });
}

async function refusalOf(response: IncomingMessage): Promise<ExecRefused> {
  let text = "";
  try {
    for await (const piece of response) {
      text += String(piece);
      if (text.length > REFUSAL_BYTES) break;
    }
  } catch {
    // What has come will do.
  }
  const said = readStatus(text);
  const status = response.statusCode ?? 0;
  // A server refuses a protocol with no words of the API's own.
  const protocol = said === undefined && (status === 400 || status === 403);
  return new ExecRefused(status, said?.message ?? `HTTP status ${status}`, protocol);
}
