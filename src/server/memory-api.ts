import type { Context, Hono } from "hono";
import { isObject, type JsonObject } from "../lib/json.ts";
import { boundedText } from "./bounded-body.ts";
import { answerOf, type CalledTool } from "./call-answer.ts";

/** Makes a call of the tool `memory`, through the gate. */
export type CallMemory = (context: Context, input: JsonObject) => Promise<CalledTool>;

/** Bytes of one request: a whole memory is one. */
const MAX_BODY = 32 * 1024 * 1024;

/** What of a request's body a search takes. */
const SEARCH_FIELDS = ["keywords", "max_results", "match_mode", "source", "date_from", "date_to"] as const;

/**
 * Adds CountBot's `GET` and `PUT /memory/long-term`, `GET /memory/stats`, `GET /memory/recent` and `POST /memory/search`. Each is a call
 * of the tool, judged and recorded like a model's.
 */
export function memoryRoutes(routes: Hono, call: CallMemory): void {
  routes.get("/memory/long-term", async (context) => {
    return told(context, await call(context, { action: "export" }), ["content", "version"]);
  });
  routes.put("/memory/long-term", async (context) => {
    const body = await bodyOf(context);
    if (typeof body === "string") return context.json({ error: body }, 400);
    const { content, version } = body;
    if (typeof content !== "string") return context.json({ error: "`content` must be the whole text." }, 400);
    const input = { action: "replace", content, ...(version === undefined ? {} : { version }) };
    return told(context, await call(context, input), []);
  });
  routes.get("/memory/stats", async (context) => {
    const facts = ["total", "lines", "bytes", "sources", "date_range"];
    return told(context, await call(context, { action: "stats" }), facts);
  });
  routes.get("/memory/recent", async (context) => {
    const input = { action: "read", recent_count: Number(context.req.query("count") ?? 10) };
    return told(context, await call(context, input), ["entries", "total"]);
  });
  routes.post("/memory/search", async (context) => {
    const body = await bodyOf(context);
    if (typeof body === "string") return context.json({ error: body }, 400);
    const wanted = SEARCH_FIELDS.flatMap((name) =>
      name in body ? [[name, body[name] ?? null] as const] : [],
    );
    const input = { action: "search", ...Object.fromEntries(wanted) };
    return told(context, await call(context, input), ["entries", "total", "more"]);
  });
}

/** The facts of a call that succeeded; of another what any call is answered with. */
function told(context: Context, called: CalledTool, names: readonly string[]): Response {
  const { response } = called;
  if (response?.state === "success") {
    const facts = names.flatMap((name) => {
      const value = response.metadata[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    return context.json({ success: true, ...Object.fromEntries(facts) });
  }
  const [body, status] = answerOf(called);
  return context.json(body, response?.metadata.code === "stale" ? 409 : status);
}

async function bodyOf(context: Context): Promise<JsonObject | string> {
  const text = await boundedText(context.req.raw, MAX_BODY);
  if (text === undefined) return `The body has more than ${MAX_BODY / 1024 / 1024} MiB.`;
  try {
    const body: unknown = JSON.parse(text);
    // It was read from JSON, so it is nothing but JSON.
    return isObject(body) ? (body as JsonObject) : "The body must be a JSON object.";
  } catch {
    return "The body is not JSON.";
  }
}
