/**
 * A STAND-IN for WeCom's long connection of intelligent bots, since a bot can't be had where the tests run. It follows the public documentation
 * and what the service's own package sends: subscription, heartbeats, answers by request id, uploads in pieces, one connection for a bot. What passes
 * against it has not been tried with WeCom.
 */
import { createCipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { at, numberAt, textAt } from "../../../src/channels/http/fields.ts";
import { type ChatServer, type Reply, startChatServer } from "../chat/server.ts";

/** What a command is answered, now or later; `silent` never, `close` by the connection's end. */
export type Verdict = "silent" | "close" | Said | Promise<Said>;

interface Said {
  readonly errcode: number;
  readonly errmsg: string;
}

/** A running stand-in and its switches. */
export interface WecomStandIn extends ChatServer {
  readonly bot: WecomBot;
  /** Where connections are made to. */
  readonly socketUrl: string;
  /** Keeps a file as the service does, and answers where, and the key. */
  store(path: string, content: Uint8Array): { readonly url: string; readonly aeskey: string };
}

/** The one bot that it knows, and its secret. */
export const BOT = { botId: "stand-in-bot", secret: "stand-in-secret" } as const;
const BLOCK = 32;

/** Starts one. */
export async function startWecom(): Promise<WecomStandIn> {
  const stored = new Map<string, Buffer>();
  const bot = new WecomBot();
  const answer = ({ path }: { readonly path: string }): Reply => {
    const bytes = stored.get(path);
    return bytes === undefined ? { status: 404 } : { bytes };
  };
  const server = await startChatServer({ answer, connect: (socket) => bot.connect(socket) });
  return Object.assign(server, {
    bot,
    socketUrl: server.url.replace("http", "ws"),
    store: (path: string, content: Uint8Array) => {
      const key = randomBytes(32);
      const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
      const filling = BLOCK - (content.length % BLOCK);
      const filled = Buffer.concat([content, Buffer.alloc(filling, filling)]);
      stored.set(path, Buffer.concat([cipher.update(filled), cipher.final()]));
      return { url: `${server.url}${path}`, aeskey: key.toString("base64") };
    },
  });
}

interface Frame {
  readonly cmd: string;
  readonly body: unknown;
}

interface Upload {
  readonly body: unknown;
  readonly pieces: Map<number, Buffer>;
}

/** The bot's side of the connection. */
export class WecomBot {
  /** Messages and files that it was given, in order. */
  readonly sent: unknown[] = [];
  readonly uploaded: { readonly type: string; readonly filename: string; readonly bytes: Buffer }[] = [];
  /** Every command that came. */
  readonly commands: string[] = [];
  /** Connections that were let in so far. */
  admitted = 0;
  readonly #verdicts = new Map<string, Verdict[]>();
  readonly #uploads = new Map<string, Upload>();
  readonly #media = new Set<string>();
  #current: WebSocket | undefined;

  /** Answers the next commands of a kind so. */
  next(cmd: string, ...verdicts: readonly Verdict[]): void {
    this.#verdicts.set(cmd, [...(this.#verdicts.get(cmd) ?? []), ...verdicts]);
  }

  /** Brings what a person wrote. */
  push(body: object): void {
    this.#current?.send(
      JSON.stringify({ cmd: "aibot_msg_callback", headers: { req_id: randomUUID() }, body }),
    );
  }

  /** Sends what is no JSON. */
  garble(): void {
    this.#current?.send("{ this is no JSON");
  }

  /** Takes a new connection. */
  connect(socket: WebSocket): void {
    socket.on("message", async (bytes) => {
      const message: unknown = JSON.parse(String(bytes));
      const cmd = textAt(message, "cmd") ?? "";
      const id = textAt(message, "headers", "req_id") ?? "";
      this.commands.push(cmd);
      const verdict = this.#verdicts.get(cmd)?.shift();
      if (verdict === "silent") return;
      if (verdict === "close") return socket.terminate();
      const answer = (await verdict) ?? this.#answer(socket, { cmd, body: at(message, "body") });
      socket.send(JSON.stringify({ headers: { req_id: id }, ...answer }));
    });
  }

  #answer(socket: WebSocket, frame: Frame): object {
    if (frame.cmd === "aibot_subscribe") return this.#subscribe(socket, frame.body);
    if (socket !== this.#current) return { errcode: 846600, errmsg: "not subscribed" };
    if (frame.cmd === "aibot_send_msg") return this.#send(frame.body);
    if (frame.cmd.startsWith("aibot_upload_media_")) return this.#upload(frame);
    return frame.cmd === "ping" ? ok() : { errcode: 40008, errmsg: "invalid command" };
  }

  #subscribe(socket: WebSocket, body: unknown): object {
    if (textAt(body, "bot_id") !== BOT.botId || textAt(body, "secret") !== BOT.secret) {
      return { errcode: 40001, errmsg: "invalid secret" };
    }
    this.#displace();
    this.#current = socket;
    this.admitted += 1;
    return ok();
  }

  #displace(): void {
    const body = { msgtype: "event", event: { eventtype: "disconnected_event" } };
    this.#current?.send(
      JSON.stringify({ cmd: "aibot_event_callback", headers: { req_id: randomUUID() }, body }),
    );
    this.#current?.close();
  }

  #send(body: unknown): object {
    const type = textAt(body, "msgtype") ?? "";
    const content = textAt(body, "markdown", "content") ?? "";
    if (type === "text") return { errcode: 40008, errmsg: "invalid message type" };
    if (Buffer.byteLength(content) > 20_480) return { errcode: 45002, errmsg: "content size out of limit" };
    const media = textAt(body, type, "media_id");
    if (type !== "markdown" && !this.#media.has(media ?? ""))
      return { errcode: 40007, errmsg: "invalid media_id" };
    this.sent.push(body);
    return ok();
  }

  #upload({ cmd, body }: Frame): object {
    if (cmd.endsWith("_init")) {
      if ((numberAt(body, "total_size") ?? 0) <= 5) return { errcode: 40006, errmsg: "invalid file size" };
      const id = randomUUID();
      this.#uploads.set(id, { body, pieces: new Map() });
      return ok({ upload_id: id });
    }
    const upload = this.#uploads.get(textAt(body, "upload_id") ?? "");
    if (upload === undefined) return { errcode: 40007, errmsg: "invalid upload_id" };
    if (cmd.endsWith("_finish")) return this.#finish(upload);
    const piece = Buffer.from(textAt(body, "base64_data") ?? "", "base64");
    upload.pieces.set(numberAt(body, "chunk_index") ?? 0, piece);
    return ok();
  }

  #finish({ body, pieces }: Upload): object {
    const bytes = Buffer.concat([...pieces].sort(([a], [b]) => a - b).map(([, piece]) => piece));
    const md5 = createHash("md5").update(bytes).digest("hex");
    if (md5 !== textAt(body, "md5")) return { errcode: 40078, errmsg: "md5 mismatch" };
    const type = textAt(body, "type") ?? "";
    this.uploaded.push({ type, filename: textAt(body, "filename") ?? "", bytes });
    const id = `media-${randomUUID()}`;
    this.#media.add(id);
    return ok({ type, media_id: id, created_at: "1" });
  }
}

function ok(body?: object): object {
  return { errcode: 0, errmsg: "ok", ...(body !== undefined && { body }) };
}
