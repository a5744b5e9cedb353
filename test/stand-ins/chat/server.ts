import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";

/** One request as it came. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
  /** Of the body; `undefined` when it is none. */
  readonly json: unknown;
}

/** What a request gets. `drop` breaks the connection off, `hang` never answers. */
export type Reply =
  | "drop"
  | "hang"
  | {
      readonly status?: number;
      readonly json?: unknown;
      readonly bytes?: Uint8Array;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** What a stand-in for a chat service is made of: HTTP and WebSocket on a free port of the loopback address. */
export interface ChatServer extends AsyncDisposable {
  readonly url: string;
  /** `POST /path`, with its requests in order. */
  heard(call: string): readonly Heard[];
  /** Answers the next request of `POST /path` so, and the one after that with the next such reply. */
  next(call: string, ...replies: readonly Reply[]): void;
  /** Breaks every WebSocket off, with a code or as a dead network does. */
  cut(code?: number): void;
  readonly sockets: ReadonlySet<WebSocket>;
}

/** How one behaves: what it answers, and what it does with a WebSocket. */
export interface ChatServerOptions {
  readonly answer: (heard: Heard) => Reply;
  readonly connect: (socket: WebSocket, url: URL) => void;
}

/** Starts one. */
export async function startChatServer({ answer, connect }: ChatServerOptions): Promise<ChatServer> {
  const all: Heard[] = [];
  const scripted = new Map<string, Reply[]>();
  const server = createServer(async (request, response) => {
    const heard = await read(request);
    all.push(heard);
    const reply = scripted.get(callOf(heard))?.shift() ?? answer(heard);
    if (reply !== "hang") respond(response, reply);
  });
  const sockets = new Set<WebSocket>();
  const upgrades = new WebSocketServer({ server });
  upgrades.on("connection", (socket, request) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    connect(socket, new URL(request.url ?? "/", "http://x"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    sockets,
    heard: (call) => all.filter((heard) => callOf(heard) === call),
    next: (call, ...replies) => {
      scripted.set(call, [...(scripted.get(call) ?? []), ...replies]);
    },
    cut: (code) => {
      for (const socket of sockets) code === undefined ? socket.terminate() : socket.close(code);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      upgrades.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const callOf = ({ method, path }: Heard): string => `${method} ${path}`;

async function read(request: IncomingMessage): Promise<Heard> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const url = new URL(request.url ?? "/", "http://x");
  const isJson = request.headers["content-type"]?.startsWith("application/json") === true;
  const json: unknown = isJson ? JSON.parse(bytes.toString()) : undefined;
  const { method = "GET", headers } = request;
  return { method, path: url.pathname, query: url.searchParams, headers, bytes, json };
}

function respond(response: ServerResponse, reply: Exclude<Reply, "hang">): void {
  if (reply === "drop") {
    response.destroy();
    return;
  }
  const { status = 200, json, bytes, headers = {} } = reply;
  const type = bytes === undefined ? "application/json" : "application/octet-stream";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(bytes ?? (json === undefined ? "" : JSON.stringify(json)));
}
