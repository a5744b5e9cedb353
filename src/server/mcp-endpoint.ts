import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { LazySession } from "../mcp/lazy-session.ts";
import type { OpenSession } from "../mcp/served-session.ts";
import type { ServerFacts } from "../mcp/tool-server.ts";

/** What `/mcp` is made of. */
export interface McpEndpointOptions {
  readonly open: OpenSession;
  readonly facts: ServerFacts;
  readonly onError: (error: Error) => void;
}

/** MCP over Streamable HTTP. Disposing stops every call. */
export interface McpEndpoint extends AsyncDisposable {
  fetch(request: Request): Promise<Response>;
}

/** Bytes of one request: a Write of a large file is one. */
const MAX_BODY = 32 * 1024 * 1024;
const MAX_SESSIONS = 100;
/** A session nobody has used for so long is closed; clients rarely say goodbye. */
const IDLE_MS = 60 * 60_000;

/**
 * Serves both protocols: 2025's, where a client has a session of its own, and 2026's, which knows no sessions and therefore
 * shares one among all clients.
 */
export function mcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { open, facts, onError } = options;
  const sessions = new Map<string, HttpSession>();
  const shared = new LazySession(open, facts);
  const modern = createMcpHandler(() => shared.connect(), {
    legacy: "reject",
    onerror: onError,
    maxRequestBodySize: MAX_BODY,
  });
  shared.onChange(() => modern.notify.toolsChanged());
  return {
    async fetch(request: Request): Promise<Response> {
      const id = request.headers.get("mcp-session-id");
      if (id !== null) {
        // 404 tells a client that its session is over and to begin a new one.
        return (await sessions.get(id)?.fetch(request)) ?? refusal(404, -32001, "There is no such session.");
      }
      if (request.method !== "POST") return refusal(400, -32000, "The Mcp-Session-Id header is missing.");
      if (!(await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY })))
        return modern.fetch(request);
      await makeRoom(sessions);
      return begin(request, sessions, options);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const all = [...sessions.values(), shared];
      sessions.clear();
      await Promise.all([modern.close(), ...all.map((session) => session[Symbol.asyncDispose]())]);
    },
  };
}

async function begin(
  request: Request,
  sessions: Map<string, HttpSession>,
  options: McpEndpointOptions,
): Promise<Response> {
  const session = new HttpSession(options, {
    begun: (id) => sessions.set(id, session),
    ended: (id) => sessions.delete(id),
  });
  await session.connected;
  const response = await session.fetch(request);
  if (!session.hasBegun) await session[Symbol.asyncDispose]();
  return response;
}

class HttpSession implements AsyncDisposable {
  readonly connected: Promise<void>;
  usedAt: number = Date.now();
  readonly #session: LazySession;
  readonly #server: Server;
  readonly #transport: WebStandardStreamableHTTPServerTransport;

  constructor(
    { open, facts, onError }: McpEndpointOptions,
    events: { begun(id: string): void; ended(id: string): void },
  ) {
    this.#session = new LazySession(open, facts);
    this.#server = this.#session.connect();
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: events.begun,
      onsessionclosed: async (id) => {
        events.ended(id);
        await this[Symbol.asyncDispose]();
      },
      maxRequestBodySize: MAX_BODY,
    });
    this.#server.onerror = onError;
    // A client that doesn't listen asks again by itself.
    this.#session.onChange(() => void this.#server.sendToolListChanged().catch(() => undefined));
    this.connected = this.#server.connect(this.#transport);
  }

  get isBusy(): boolean {
    return this.#session.isBusy;
  }

  get hasBegun(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  fetch(request: Request): Promise<Response> {
    this.usedAt = Date.now();
    return this.#transport.handleRequest(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
    await this.#server.close();
  }
}

async function makeRoom(sessions: Map<string, HttpSession>): Promise<void> {
  const idle = [...sessions]
    .filter(([, session]) => !session.isBusy)
    .sort(([, a], [, b]) => a.usedAt - b.usedAt);
  const tooMany = sessions.size - MAX_SESSIONS + 1;
  const over = idle.filter(([, session], at) => at < tooMany || Date.now() - session.usedAt > IDLE_MS);
  for (const [id] of over) sessions.delete(id);
  await Promise.all(over.map(([, session]) => session[Symbol.asyncDispose]()));
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
