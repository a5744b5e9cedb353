/**
 * A STAND-IN for QQ's bot interface, version 2, since a bot can't be had where the tests run. It follows the public documentation: access tokens,
 * files, messages with their numbers, and the gateway with its sessions. What passes against it has not been tried with QQ.
 */
import { randomUUID } from "node:crypto";
import { at, numberAt, textAt } from "../../../src/channels/http/fields.ts";
import { type ChatServer, type Heard, type Reply, startChatServer } from "../chat/server.ts";
import { QqGateway } from "./gateway.ts";

/** A running stand-in and its switches. */
export interface QqStandIn extends ChatServer {
  /** Access tokens that are taken. */
  readonly tokens: Set<string>;
  /** Seconds that a token lives. */
  lifetime: number;
  readonly gateway: QqGateway;
}

/** The one bot that it knows. */
export const APP_ID = "102000001";
/** Its secret. */
export const SECRET = "stand-in-secret";

/** Starts one. */
export async function startQq(): Promise<QqStandIn> {
  const tokens = new Set<string>();
  const gateway = new QqGateway(tokens);
  const uploaded = new Set<string>();
  const replies = new Set<string>();

  const answer = (heard: Heard): Reply => {
    if (heard.path === "/app/getAppAccessToken") return issue(heard);
    const token = /^QQBot (.+)$/.exec(heard.headers.authorization ?? "")?.[1] ?? "";
    if (!tokens.has(token))
      return { status: 401, json: { message: "token not exist or expire", code: 11244 } };
    if (heard.path === "/gateway") return { json: { url: server.url.replace("http", "ws") } };
    if (heard.path === "/users/@me") return { json: { id: "1", username: "stand-in bot" } };
    const [, , action] = /^\/v2\/(users|groups)\/[^/]+\/(files|messages)$/.exec(heard.path) ?? [];
    if (action === "files") return upload(heard);
    return action === "messages"
      ? send(heard)
      : { status: 404, json: { code: 404, message: "no such path" } };
  };
  const issue = ({ json }: Heard): Reply => {
    if (textAt(json, "appId") !== APP_ID || textAt(json, "clientSecret") !== SECRET) {
      return { json: { code: 100016, message: "invalid appid or secret" } };
    }
    const token = `token-${randomUUID()}`;
    tokens.add(token);
    return { json: { access_token: token, expires_in: String(standIn.lifetime) } };
  };
  const upload = ({ json }: Heard): Reply => {
    if (textAt(json, "file_data") === undefined || at(json, "srv_send_msg") !== false) {
      return { status: 400, json: { code: 12002, message: "request invalid" } };
    }
    const info = `info-${randomUUID()}`;
    uploaded.add(info);
    return { json: { file_uuid: randomUUID(), file_info: info, ttl: 3600 } };
  };
  const send = ({ json }: Heard): Reply => {
    const info = textAt(json, "media", "file_info");
    if (numberAt(json, "msg_type") === 7 && !uploaded.has(info ?? "")) {
      return { status: 400, json: { code: 304082, message: "upload media info fail" } };
    }
    if (textAt(json, "content") === undefined) {
      return { status: 400, json: { code: 50006, message: "message is empty" } };
    }
    const answers = textAt(json, "msg_id");
    if (answers === undefined) return { json: { id: `proactive-${randomUUID()}`, timestamp: "x" } };
    const number = `${answers} ${numberAt(json, "msg_seq") ?? 1}`;
    if (replies.has(number)) return { status: 400, json: { code: 40054005, message: "repeated msg_seq" } };
    replies.add(number);
    return { json: { id: `reply-${randomUUID()}`, timestamp: "x" } };
  };

  const server = await startChatServer({ answer, connect: (socket) => gateway.connect(socket) });
  const standIn: QqStandIn = Object.assign(server, { tokens, gateway, lifetime: 7200 });
  return standIn;
}
