/**
 * A STAND-IN for Slack's Web API and Socket Mode, since an app can't be had where the tests run. It follows the public documentation:
 * messages, uploads in three steps, errors, limits, and envelopes that have to be acknowledged. What passes against it has not been tried
 * with Slack.
 */
import { isObject } from "../../../src/lib/json.ts";
import { type ChatServer, type Heard, type Reply, startChatServer } from "../chat/server.ts";

/** The app that it knows. */
export const BOT_TOKEN = "xoxb-111-222-standinSecret";
export const APP_TOKEN = "xapp-1-A1-333-standinSecret";

/** A message that people see. */
export interface SlackMessage {
  readonly channel: string;
  readonly thread: string | undefined;
  readonly text: string;
  readonly files: readonly string[];
}

/** The service, with what happened in it. */
export interface SlackStandIn extends ChatServer {
  readonly messages: SlackMessage[];
  /** What was uploaded, by name. */
  readonly uploads: Map<string, Buffer>;
  /** Files that a person sent, by path. */
  readonly files: Map<string, Buffer>;
  /** Envelopes that were acknowledged. */
  readonly acks: string[];
  /** Whether a connection is greeted. */
  greets: boolean;
  /** Sends an event to the app, now or when it connects next. */
  push(event: object): void;
  /** Tells the app that it has to connect anew. */
  refresh(): void;
}

/** Breaks or refuses the next calls of a method. */
export const method = (name: string): string => `POST /api/${name}`;

/** An error as the service gives it. */
export const slackFault = (error: string): Reply => ({ json: { ok: false, error } });

/** Starts one. */
export async function startSlack(): Promise<SlackStandIn> {
  const state = new State();
  const server = await startChatServer({
    answer: (heard) => state.answer(heard),
    connect: (socket) => {
      if (state.greets) socket.send(JSON.stringify({ type: "hello", num_connections: 1 }));
      socket.on("message", (bytes) => state.acknowledge(JSON.parse(String(bytes))));
      state.flush((envelope) => socket.send(envelope));
    },
  });
  state.url = server.url;
  const tell = (text: string): void => {
    for (const socket of server.sockets) socket.send(text);
  };
  return Object.assign(state, server, {
    push(event: object): void {
      tell(state.add(event));
    },
    refresh: () => tell(JSON.stringify({ type: "disconnect", reason: "refresh_requested" })),
  });
}

class State {
  readonly messages: SlackMessage[] = [];
  readonly uploads = new Map<string, Buffer>();
  readonly files = new Map<string, Buffer>();
  readonly acks: string[] = [];
  greets = true;
  url = "";
  readonly #names = new Map<string, string>();
  readonly #waiting = new Map<string, object>();

  answer(heard: Heard): Reply {
    const upload = /^\/upload\/(\w+)$/.exec(heard.path)?.[1];
    if (upload !== undefined) return this.#take(upload, heard.bytes);
    const file = this.files.get(heard.path);
    const token = heard.headers.authorization;
    if (file !== undefined) return token === `Bearer ${BOT_TOKEN}` ? { bytes: file } : { status: 403 };
    const name = heard.path.replace("/api/", "");
    const needed = name === "apps.connections.open" ? APP_TOKEN : BOT_TOKEN;
    if (token !== `Bearer ${needed}`) return slackFault("invalid_auth");
    return this.#call(name, new URLSearchParams(heard.bytes.toString()));
  }

  acknowledge(message: unknown): void {
    const id = isObject(message) ? String(message.envelope_id) : "";
    this.acks.push(id);
    this.#waiting.delete(id);
  }

  /** An event's envelope, which is kept until it is acknowledged. */
  add(event: object): string {
    const id = `E${this.acks.length + this.#waiting.size + 1}`;
    const envelope = {
      envelope_id: id,
      type: "events_api",
      payload: { type: "event_callback", event },
    };
    this.#waiting.set(id, envelope);
    return JSON.stringify(envelope);
  }

  /** What wasn't acknowledged comes again. */
  flush(send: (envelope: string) => void): void {
    for (const envelope of this.#waiting.values()) send(JSON.stringify(envelope));
  }

  #call(name: string, fields: URLSearchParams): Reply {
    switch (name) {
      case "auth.test":
        return { json: { ok: true, user: "gate", team: "Acme", user_id: "U222" } };
      case "apps.connections.open":
        return { json: { ok: true, url: `${this.url.replace("http", "ws")}/link` } };
      case "chat.postMessage":
        return this.#post(fields.get("channel"), fields, fields.get("text") ?? "", []);
      case "files.getUploadURLExternal":
        return this.#place(fields.get("filename") ?? "");
      case "files.completeUploadExternal": {
        const files = (JSON.parse(fields.get("files") ?? "[]") as { id: string }[]).map(({ id }) => id);
        return this.#post(fields.get("channel_id"), fields, fields.get("initial_comment") ?? "", files);
      }
      default:
        return slackFault("unknown_method");
    }
  }

  #post(channel: string | null, fields: URLSearchParams, text: string, ids: readonly string[]): Reply {
    if (channel === null || channel === "C404") return slackFault("channel_not_found");
    if (text === "" && ids.length === 0) return slackFault("no_text");
    const files = ids.map((id) => this.#names.get(id) ?? "");
    this.messages.push({ channel, thread: fields.get("thread_ts") ?? undefined, text, files });
    const ts = `1700000000.${String(this.messages.length).padStart(6, "0")}`;
    return { json: { ok: true, channel, ts, files: ids.map((id) => ({ id })) } };
  }

  #place(name: string): Reply {
    const id = `F${this.#names.size + 1}`;
    this.#names.set(id, name);
    return { json: { ok: true, file_id: id, upload_url: `${this.url}/upload/${id}` } };
  }

  /** The only part of the form; what stands round it are two lines of mark and head. */
  #take(id: string, body: Buffer): Reply {
    const start = body.indexOf("\r\n\r\n") + 4;
    const end = body.lastIndexOf("\r\n--");
    this.uploads.set(this.#names.get(id) ?? "", Buffer.from(body.subarray(start, end)));
    return { bytes: Buffer.from("OK") };
  }
}
