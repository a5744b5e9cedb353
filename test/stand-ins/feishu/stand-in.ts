/**
 * A STAND-IN for Feishu's open platform, since an app can't be had where the tests run. It follows the public documentation and what the service's own
 * package sends: tokens, messages that count once by their number, pictures and files, and the long connection with its frames. What passes against it
 * has not been tried with Feishu.
 */
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { textAt } from "../../../src/channels/http/fields.ts";
import { multipart } from "../chat/multipart.ts";
import { type ChatServer, type Heard, type Reply, startChatServer } from "../chat/server.ts";
import { decodeFrame, encodeFrame, type Frame } from "./frame.ts";

/** A running stand-in and its switches. */
export interface FeishuStandIn extends ChatServer {
  /** Access tokens that are taken. */
  readonly tokens: Set<string>;
  /** Messages that people see, in order. */
  readonly shown: unknown[];
  /** Files that were uploaded, by the fields of their forms. */
  readonly uploaded: Readonly<Record<string, Buffer>>[];
  /** What was answered to events, by their ids. */
  readonly acknowledged: Map<string, unknown>;
  /** Pings are answered. */
  isAlive: boolean;
  /** Brings an event, in so many pieces. */
  push(type: string, event: unknown, pieces?: number): string;
  /** Sends bytes as they are. */
  say(bytes: Uint8Array): void;
}

/** The one app that it knows. */
export const APP = { appId: "cli_0123456789abcdef", appSecret: "stand-in-secret" } as const;
const API = "/open-apis/im/v1";

/** Starts one. */
export async function startFeishu(): Promise<FeishuStandIn> {
  const tokens = new Set<string>();
  const shown: unknown[] = [];
  const byNumber = new Map<string, string>();
  const uploaded: FeishuStandIn["uploaded"] = [];
  const keys = new Set<string>();
  const acknowledged = new Map<string, unknown>();

  const issue = ({ json }: Heard): Reply => {
    if (textAt(json, "app_id") !== APP.appId || textAt(json, "app_secret") !== APP.appSecret) {
      return { json: { code: 10014, msg: "app secret invalid" } };
    }
    const token = `t-${randomUUID()}`;
    tokens.add(token);
    return { json: { code: 0, msg: "ok", tenant_access_token: token, expire: 7200 } };
  };
  const endpoint = ({ json }: Heard): Reply => {
    if (textAt(json, "AppSecret") !== APP.appSecret) return { json: { code: 514, msg: "auth failed" } };
    const URL = `${server.url.replace("http", "ws")}/ws?fpid=1&device_id=2&service_id=33`;
    const ClientConfig = {
      PingInterval: 120,
      ReconnectCount: -1,
      ReconnectInterval: 120,
      ReconnectNonce: 30,
    };
    return { json: { code: 0, msg: "", data: { URL, ClientConfig } } };
  };
  const upload = ({ path, bytes, headers }: Heard): Reply => {
    const form = Object.fromEntries(
      multipart(bytes, headers["content-type"]).map((field) => [field.name, field.bytes]),
    );
    const content = form.image ?? form.file;
    if (content === undefined || content.length === 0)
      return { status: 400, json: { code: 234006, msg: "no file" } };
    uploaded.push(form);
    const key = `${path.endsWith("/images") ? "img" : "file"}_${randomUUID()}`;
    keys.add(key);
    return {
      json: { code: 0, msg: "success", data: { [path.endsWith("/images") ? "image_key" : "file_key"]: key } },
    };
  };
  const send = ({ json, query, path }: Heard): Reply => {
    const content: unknown = JSON.parse(textAt(json, "content") ?? "{}");
    const key = textAt(content, "image_key") ?? textAt(content, "file_key");
    if (key !== undefined && !keys.has(key))
      return { status: 400, json: { code: 230001, msg: "invalid key" } };
    const number = textAt(json, "uuid") ?? randomUUID();
    const known = byNumber.get(number);
    const id = known ?? `om_${randomUUID()}`;
    if (known === undefined) {
      const type = query.get("receive_id_type");
      const to = type === null ? path.split("/").at(-2) : `${type}:${textAt(json, "receive_id")}`;
      shown.push({ to, type: textAt(json, "msg_type"), content });
    }
    byNumber.set(number, id);
    return { json: { code: 0, msg: "success", data: { message_id: id } } };
  };
  const answer = (heard: Heard): Reply => {
    const { path, headers } = heard;
    if (path === "/open-apis/auth/v3/tenant_access_token/internal") return issue(heard);
    if (path === "/callback/ws/endpoint") return endpoint(heard);
    const token = headers.authorization?.replace("Bearer ", "") ?? "";
    if (tokens.has(token)) return admitted(heard);
    return { status: 400, json: { code: 99991663, msg: "Invalid access token" } };
  };
  const admitted = (heard: Heard): Reply => {
    const { path, query } = heard;
    if (path === "/open-apis/bot/v3/info")
      return { json: { code: 0, msg: "ok", bot: { app_name: "stand-in bot" } } };
    if (path === `${API}/images` || path === `${API}/files`) return upload(heard);
    if (path === `${API}/messages` || path.endsWith("/reply")) return send(heard);
    const [, message, key] = /\/messages\/([^/]+)\/resources\/([^/]+)$/.exec(path) ?? [];
    if (key === "gone") return { status: 400, json: { code: 234003, msg: "file not in msg" } };
    return { bytes: Buffer.from(`${query.get("type")} ${key} of ${message}`) };
  };

  const connect = (socket: WebSocket): void => {
    socket.on("message", (bytes: Buffer) => {
      const frame = decodeFrame(bytes);
      if (frame.method === 1) {
        acknowledged.set(frame.headers.message_id ?? "", JSON.parse(frame.payload));
        return;
      }
      const payload = JSON.stringify({
        PingInterval: 120,
        ReconnectCount: -1,
        ReconnectInterval: 120,
        ReconnectNonce: 30,
      });
      if (standIn.isAlive) socket.send(encodeFrame({ ...frame, headers: { type: "pong" }, payload }));
    });
  };
  const say = (bytes: Uint8Array): void => {
    for (const socket of server.sockets) socket.send(bytes);
  };
  const push = (event_type: string, event: unknown, pieces = 1): string => {
    const message_id = randomUUID();
    const header = { event_id: randomUUID(), event_type, app_id: APP.appId };
    const whole = JSON.stringify({ schema: "2.0", header, event });
    const length = Math.ceil(whole.length / pieces);
    for (let seq = 0; seq < pieces; seq += 1) {
      const headers = { type: "event", message_id, sum: String(pieces), seq: String(seq), trace_id: "t" };
      const frame: Frame = {
        service: 33,
        method: 1,
        headers,
        payload: whole.slice(seq * length, (seq + 1) * length),
      };
      say(encodeFrame(frame));
    }
    return message_id;
  };

  const server = await startChatServer({ answer, connect });
  const standIn = Object.assign(server, { tokens, shown, uploaded, acknowledged, isAlive: true, push, say });
  return standIn;
}
