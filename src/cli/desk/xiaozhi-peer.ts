import type { WebSocket } from "ws";
import type { Channel } from "../../channels/channel.ts";
import { ToolgateError } from "../../errors.ts";
import { LazySession } from "../../mcp/lazy-session.ts";
import type { OpenSession } from "../../mcp/served-session.ts";
import { SocketTransport } from "../../mcp/socket-transport.ts";
import type { ServerFacts } from "../../mcp/tool-server.ts";

/** What {@link xiaozhiPeer} takes. */
export interface XiaozhiPeerOptions {
  readonly url: string;
  /** Makes the session of one connection. */
  readonly open: OpenSession;
  readonly facts: ServerFacts;
  readonly onError: (error: Error) => void;
  /** How often the other side is asked whether it is there. @default 30000 */
  readonly beatEveryMs?: number;
}

/** Bytes of one message. */
const MAX_PAYLOAD = 4 * 1024 * 1024;
const HANDSHAKE_MS = 15_000;

/**
 * Goes to a device's cloud and serves MCP over the connection that it opened itself: the device is the client. Each connection has a session of its
 * own, which ends with it.
 */
export function xiaozhiPeer(options: XiaozhiPeerOptions): Pick<Channel, "listen"> {
  return {
    async listen({ connected }, signal): Promise<void> {
      const connection = await dial(options.url, signal);
      if (connection === undefined) return;
      const { socket, transport, closed } = connection;
      await using session = new LazySession(options.open, options.facts);
      const server = session.connect();
      server.onerror = options.onError;
      session.onChange(() => void server.sendToolListChanged().catch(() => undefined));
      const beat = heartbeat(socket, options.beatEveryMs ?? 30_000);
      const stop = (): void => socket.close(1000);
      signal.addEventListener("abort", stop, { once: true });
      try {
        await server.connect(transport);
        connected();
        if (signal.aborted) stop();
        const code = await closed;
        if (!signal.aborted) throw lost(options.url, code);
      } finally {
        clearInterval(beat);
        signal.removeEventListener("abort", stop);
        socket.terminate();
        await server.close();
      }
    },
  };
}

interface Connection {
  readonly socket: WebSocket;
  readonly transport: SocketTransport;
  /** How it ended, once it has. */
  readonly closed: Promise<string>;
}

/** An open connection; `undefined` when the signal aborted before. @throws ToolgateError `connection_failed` */
async function dial(url: string, signal: AbortSignal): Promise<Connection | undefined> {
  if (signal.aborted) return undefined;
  const { default: Socket } = await import("ws");
  const socket = new Socket(url, {
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_PAYLOAD,
    // The address has the secret in it, and stays what it is.
    followRedirects: false,
    perMessageDeflate: false,
  });
  const transport = new SocketTransport(socket);
  const closed = new Promise<string>((done) => {
    socket.once("close", (code, reason) => done(`${code} ${String(reason).slice(0, 200)}`.trim()));
  });
  return new Promise((opened, fail) => {
    const stop = (): void => socket.terminate();
    signal.addEventListener("abort", stop, { once: true });
    socket.once("open", () => {
      signal.removeEventListener("abort", stop);
      opened({ socket, transport, closed });
    });
    // It stays for what comes later too: an error that nobody hears would end the process.
    socket.on("error", (error) => {
      signal.removeEventListener("abort", stop);
      if (signal.aborted) opened(undefined);
      else fail(lost(url, "code" in error ? String(error.code) : error.message));
    });
  });
}

/** Ends a connection whose other side says nothing any more. */
function heartbeat(socket: WebSocket, everyMs: number): NodeJS.Timeout {
  let isThere = true;
  socket.on("pong", () => {
    isThere = true;
  });
  return setInterval(() => {
    if (!isThere) return socket.terminate();
    isThere = false;
    socket.ping();
    return undefined;
  }, everyMs).unref();
}

function lost(url: string, why: string): ToolgateError {
  return new ToolgateError("connection_failed", `The connection to ${new URL(url).host} was lost (${why}).`);
}
