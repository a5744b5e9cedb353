import { type Context, Hono } from "hono";
import type { MergedCall } from "../audit/merged-calls.ts";
import { newestCalls } from "../audit/newest-calls.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { OpenSession, ServedSession } from "../mcp/served-session.ts";
import { boundedText } from "./bounded-body.ts";
import { answerOf, callTool } from "./call-answer.ts";
import { memoryRoutes } from "./memory-api.ts";

/** What `/api/tools` and `/api/audit` are made of. */
export interface ToolsApiOptions {
  readonly open: OpenSession;
  /** Where the records are. */
  readonly auditDirectory: string;
}

/** The tools and the records over plain HTTP, in a session of their own. Disposing stops its calls and closes it. */
export interface ToolsApi extends AsyncDisposable {
  readonly routes: Hono;
}

/** Bytes of one request: a write_file of a large file is one. */
const MAX_BODY = 32 * 1024 * 1024;
const MOST_RECORDS = 1000;

/**
 * Serves `GET /tools`, `POST /tools/execute`, `GET /audit` and what is below `/memory`. Calls go through the gate like all others; nobody can be asked here, so a
 * question is parked, and answered with 202 and its id. Who may come in at all is for the server to say.
 */
export function toolsApi({ open, auditDirectory }: ToolsApiOptions): ToolsApi {
  let session: Promise<ServedSession> | undefined;
  const running = new AbortController();
  const opened = (): Promise<ServedSession> => {
    // What failed once, a settings file being edited, may be tried again.
    session ??= open(() => undefined).catch((error: unknown) => {
      session = undefined;
      throw error;
    });
    return session;
  };
  const routes = new Hono();
  routes.get("/tools", async (context) => {
    const tools = await (await opened()).tools.list();
    const functions = tools.map(({ name, description, inputSchema: parameters }) => {
      return { type: "function", function: { name, description, parameters } };
    });
    return context.json({ tools: functions, total: functions.length });
  });
  routes.post("/tools/execute", async (context) => execute(context, await opened(), running.signal));
  memoryRoutes(routes, async ({ req }, input) => {
    const { tools } = await opened();
    return callTool(tools, { name: "memory", input }, AbortSignal.any([req.raw.signal, running.signal]));
  });
  routes.get("/audit", async (context) => audit(context, auditDirectory));
  return {
    routes,
    async [Symbol.asyncDispose](): Promise<void> {
      running.abort();
      await (await session)?.[Symbol.asyncDispose]();
    },
  };
}

async function execute(context: Context, { tools }: ServedSession, stopped: AbortSignal): Promise<Response> {
  const request = await requestOf(context.req.raw);
  if (typeof request === "string") return context.json({ success: false, error: request }, 400);
  const response = await callTool(tools, request, AbortSignal.any([context.req.raw.signal, stopped]));
  return context.json(...answerOf(response));
}

interface ExecuteRequest {
  readonly name: string;
  readonly input: string | JsonObject;
}

/** The call that a request makes, or what is wrong with it. */
async function requestOf(request: Request): Promise<ExecuteRequest | string> {
  const text = await boundedText(request, MAX_BODY);
  if (text === undefined) return `The body has more than ${MAX_BYTES_TEXT}.`;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "The body is not JSON.";
  }
  if (!isObject(body)) return "The body must be a JSON object.";
  const name = body.tool_name ?? body.name;
  if (typeof name !== "string") return "`tool_name` is missing: the name of a tool.";
  const { arguments: input = {} } = body;
  if (typeof input === "string") return { name, input };
  // It was read from JSON, so it is nothing but JSON.
  if (isObject(input)) return { name, input: input as JsonObject };
  return "`arguments` must be an object, or its JSON text.";
}

const MAX_BYTES_TEXT = `${MAX_BODY / 1024 / 1024} MiB`;

/** Calls newest first: `?tool_name=&session_id=&status=&since=&limit=`. */
async function audit(context: Context, directory: string): Promise<Response> {
  const limit = Number(context.req.query("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_RECORDS) {
    return context.json({ error: `limit must be a whole number from 1 to ${MOST_RECORDS}.` }, 400);
  }
  return context.json({ records: await newestCalls(directory, limit, filterOf(context)) });
}

function filterOf(context: Context): (call: MergedCall) => boolean {
  const { tool_name: tool, session_id: session, status, since } = context.req.query();
  return (call) =>
    (tool === undefined || call.tool_name === tool) &&
    (session === undefined || call.session_id === session) &&
    (status === undefined || call.status === status) &&
    (since === undefined || call.timestamp >= since);
}
