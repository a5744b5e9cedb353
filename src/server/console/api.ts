import { type Context, Hono } from "hono";
import type { ChannelStatus } from "../../channels/channels.ts";
import type { NewConsoleFile } from "../../channels/console/history.ts";
import type { ConsoleChannel } from "../../channels/console.ts";
import { MAX_MEDIA_BYTES } from "../../channels/media/check.ts";
import { endingOf, MEDIA_FORMATS } from "../../channels/media/formats.ts";
import { plainName } from "../../channels/media/plain-name.ts";
import { boundedBytes } from "../bounded-body.ts";
import type { Feed } from "./feed.ts";

/** What `/api/console` is made of. */
export interface ConsoleApiOptions {
  readonly channel: ConsoleChannel;
  readonly feed: Feed;
  /** How all channels stand. */
  readonly statuses: () => readonly ChannelStatus[];
}

const MOST_FILES = 10;
/** Two full files and what a form needs round them. */
const MAX_BODY = 2 * MAX_MEDIA_BYTES + 64 * 1024;
const MOST_CHARACTERS = 100_000;

/**
 * Serves `GET /console/events` (server-sent events), `POST /console/messages` (a form of `text` and `files`) and
 * `GET /console/media/ID`; and `GET /channels`, how all channels stand.
 */
export function consoleApi({ channel, feed, statuses }: ConsoleApiOptions): Hono {
  const routes = new Hono();
  routes.get("/console/events", (context) => feed.open(context.req.raw.signal));
  routes.post("/console/messages", async (context) => {
    const message = await messageOf(context.req.raw);
    if (typeof message === "string") return context.json({ error: message }, 400);
    const id = await channel.receive(message.text, message.files, context.req.raw.signal);
    return context.json({ id }, 201);
  });
  routes.get("/channels", (context) => context.json({ channels: statuses() }));
  routes.get("/console/media/:id", (context) => media(context, channel));
  return routes;
}

interface PostedMessage {
  readonly text: string;
  readonly files: readonly NewConsoleFile[];
}

/** What the person wrote, or what is wrong with it. */
async function messageOf(request: Request): Promise<PostedMessage | string> {
  const body = await boundedBytes(request, MAX_BODY);
  if (body === undefined) return `A message has ${MAX_BODY} bytes at most.`;
  const type = request.headers.get("content-type") ?? "";
  let form: FormData;
  try {
    form = await new Response(body, { headers: { "content-type": type } }).formData();
  } catch {
    return "The body must be a form with `text` and `files`.";
  }
  const text = form.get("text") ?? "";
  if (typeof text !== "string" || text.length > MOST_CHARACTERS) {
    return `\`text\` must be a text of ${MOST_CHARACTERS} characters at most.`;
  }
  const files: NewConsoleFile[] = [];
  for (const file of form.getAll("files")) {
    if (typeof file === "string") return "`files` must be files.";
    if (file.size > MAX_MEDIA_BYTES) return `${plainName(file.name)} has more than ${MAX_MEDIA_BYTES} bytes.`;
    const name = plainName(file.name);
    files.push({ name, mediaType: typeOf(name), bytes: Buffer.from(await file.arrayBuffer()) });
  }
  if (files.length > MOST_FILES) return `A message has ${MOST_FILES} files at most.`;
  if (text.trim() === "" && files.length === 0) return "There is nothing in the message.";
  return { text, files };
}

/** By the name, from our own table: what a client says of it may be `text/html`. */
function typeOf(name: string): string {
  return MEDIA_FORMATS.get(endingOf(name))?.mediaType ?? "application/octet-stream";
}

/** A file, for saving: never as a page of this server. */
async function media(context: Context, { history }: ConsoleChannel): Promise<Response> {
  const file = await history.file(context.req.param("id") ?? "", context.req.raw.signal);
  if (file === undefined) return context.json({ error: "There is no such file." }, 404);
  const { name, mediaType, bytes } = file;
  return new Response(Buffer.from(bytes), {
    headers: {
      "Content-Type": mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType,
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", "%27")}`,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Cross-Origin-Resource-Policy": "same-origin",
    },
  });
}
