import type { AddressInfo } from "node:net";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import { Hono } from "hono";
import type { Approval } from "../approval.ts";
import type { Channels } from "../channels/channels.ts";
import type { ConsoleChannel } from "../channels/console.ts";
import { ToolgateError } from "../errors.ts";
import type { OpenSession } from "../mcp/served-session.ts";
import type { ServerFacts } from "../mcp/tool-server.ts";
import type { Store } from "../store.ts";
import { type Access, checkOrigin, checkToken, type Refusal } from "./access.ts";
import { approvalsApi, pendingApprovals } from "./approvals-api.ts";
import { consoleApi } from "./console/api.ts";
import { consoleFeed, type Feed } from "./console/feed.ts";
import { consolePage } from "./console/page.ts";
import { LANDING_POLICY, landingPage } from "./landing-page.ts";
import { type McpEndpoint, mcpEndpoint } from "./mcp-endpoint.ts";
import { type ToolsApi, toolsApi } from "./tools-api.ts";

/** What the page at `/console` shows. */
export interface ConsoleParts {
  readonly channel: ConsoleChannel;
  /** All channels, that one among them. */
  readonly channels: Pick<Channels, "statuses">;
  /** Where the questions wait that it answers. */
  readonly store: Store;
  /** Whether somebody answers what is written there. */
  readonly answers: boolean;
  /** Told each answer to a question. */
  readonly onAnswer?: (approval: Approval) => void;
}

/** How the server is set up. */
export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly access: Access;
  readonly open: OpenSession;
  readonly facts: ServerFacts;
  readonly onError: (error: Error) => void;
  /** Where the records are that `/api/audit` shows. */
  readonly auditDirectory: string;
  readonly console: ConsoleParts;
}

/** A server that listens. Disposing closes its connections and waits until every call has been stopped. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly mcpUrl: string;
}

/** Starts the server. @throws ToolgateError `usage` when the port is taken or the address isn't this machine's */
export async function httpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host } = options;
  const mcp = mcpEndpoint(options);
  const api = toolsApi(options);
  const feed = feedOf(options);
  const place = { mcpUrl: "" };
  const server = createAdaptorServer({ fetch: routes(options, { mcp, api, feed }, place).fetch });
  const { port } = await listen(server, host, options.port);
  const url = `http://${shownHost(host)}:${port}`;
  place.mcpUrl = `${url}/mcp`;
  return {
    url,
    mcpUrl: place.mcpUrl,
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([mcp, api, feed].map((part) => part[Symbol.asyncDispose]()));
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}

interface Parts {
  readonly mcp: McpEndpoint;
  readonly api: ToolsApi;
  readonly feed: Feed;
}

function feedOf({ console: { channel, store, answers }, facts, onError }: HttpServerOptions): Feed {
  return consoleFeed({
    history: channel.history,
    pending: () => pendingApprovals(store),
    facts: { answers, version: facts.version },
    onError,
  });
}

function routes(
  options: HttpServerOptions,
  { mcp, api, feed }: Parts,
  place: { readonly mcpUrl: string },
): Hono {
  const { access, facts, onError } = options;
  const { channel, channels, store, onAnswer } = options.console;
  const answered = (approval: Approval): void => {
    feed.refresh();
    onAnswer?.(approval);
  };
  const app = new Hono();
  app.use(async (context, next) => {
    const refused = checkOrigin(context.req.raw.headers, access);
    if (refused !== undefined) return refuse(refused);
    await next();
    context.header("X-Content-Type-Options", "nosniff");
    context.header("Referrer-Policy", "no-referrer");
    return undefined;
  });
  app.get("/", (context) => {
    context.header("Content-Security-Policy", LANDING_POLICY);
    return context.html(landingPage({ version: facts.version, mcpUrl: place.mcpUrl }));
  });
  app.get("/health", (context) => context.json({ status: "ok", version: facts.version }));
  app.all("/mcp", (context) => {
    const refused = checkToken(context.req.raw.headers, access);
    return refused === undefined ? mcp.fetch(context.req.raw) : refuse(refused);
  });
  app.use("/api/*", async (context, next) => {
    const refused = checkToken(context.req.raw.headers, access);
    if (refused !== undefined) return refuse(refused);
    await next();
    context.header("Cache-Control", "no-store");
    return undefined;
  });
  app.route("/", consolePage());
  app.route("/api", api.routes);
  app.route("/api", consoleApi({ channel, feed, statuses: () => channels.statuses }));
  app.route("/api", approvalsApi({ store, onAnswer: answered }));
  app.notFound((context) =>
    context.json(
      { error: "There is nothing here. The console is at /console, MCP at /mcp, the tools at /api/tools." },
      404,
    ),
  );
  app.onError((error, context) => {
    onError(error);
    return context.json({ error: "The server failed at this request." }, 500);
  });
  return app;
}

function listen(server: ServerType, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, host, port)));
    server.listen(port, host.replace(/^\[|\]$/g, ""), () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("The server has no address."));
      else resolve(address);
    });
  });
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is already in use. Choose another with --port, or 0 for a free one.",
  EACCES: "may not be used by this user. Choose one above 1023 with --port.",
  EADDRNOTAVAIL: "is no address of this machine.",
  ENOTFOUND: "is no known host name.",
};

function listenError(error: Error, host: string, port: number): Error {
  const why = "code" in error && typeof error.code === "string" ? LISTEN_ERRORS[error.code] : undefined;
  return why === undefined ? error : new ToolgateError("usage", `${host}:${port} ${why}`, { cause: error });
}

/** `0.0.0.0` is a place to listen at, not one to go to. */
function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function refuse({ status, message }: Refusal): Response {
  const headers = new Headers(status === 401 ? { "WWW-Authenticate": 'Bearer realm="toolgate"' } : {});
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }, { status, headers });
}
