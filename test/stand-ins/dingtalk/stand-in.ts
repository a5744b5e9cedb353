/**
 * A STAND-IN for DingTalk's interface for robots, since an organisation can't be had where the tests run. It follows the public documentation and
 * what the service's own package sends: access tokens, robot messages, files by the older interface, and the stream connection. What passes against it
 * has not been tried with DingTalk.
 */
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { listAt, textAt } from "../../../src/channels/http/fields.ts";
import { multipart } from "../chat/multipart.ts";
import { type ChatServer, type Heard, type Reply, startChatServer } from "../chat/server.ts";

/** A running stand-in and its switches. */
export interface DingtalkStandIn extends ChatServer {
  /** Access tokens that are taken. */
  readonly tokens: Set<string>;
  /** Files that were uploaded. */
  readonly uploaded: { readonly type: string; readonly name: string; readonly bytes: Buffer }[];
  /** Ids of messages that the robot has acknowledged. */
  readonly acknowledged: string[];
  /** Brings a message to the robot; answers the id by which it is acknowledged. */
  push(data: unknown): string;
  /** Sends one of the connection's own messages, or anything. */
  say(message: unknown): void;
}

/** The one app that it knows. */
export const APP = { clientId: "dingstandin", clientSecret: "stand-in-secret" } as const;
const ROBOT = "/v1.0/im/bot/messages/get";

/** Starts one. */
export async function startDingtalk(): Promise<DingtalkStandIn> {
  const tokens = new Set<string>();
  const uploaded: DingtalkStandIn["uploaded"] = [];
  const acknowledged: string[] = [];
  const tickets = new Set<string>();
  const media = new Set<string>();

  const isApp = (json: unknown, id: string, secret: string): boolean =>
    textAt(json, id) === APP.clientId && textAt(json, secret) === APP.clientSecret;
  const issue = ({ json }: Heard): Reply => {
    if (!isApp(json, "appKey", "appSecret")) {
      return {
        status: 400,
        json: { code: "invalidClientIdOrSecret", message: "无效的clientId或者clientSecret" },
      };
    }
    const accessToken = randomUUID();
    tokens.add(accessToken);
    return { json: { accessToken, expireIn: 7200 } };
  };
  const open = ({ json }: Heard): Reply => {
    if (!isApp(json, "clientId", "clientSecret")) {
      return { status: 401, json: { code: "authFailed", message: "鉴权失败" } };
    }
    if (!listAt(json, "subscriptions").some((one) => textAt(one, "topic") === ROBOT)) {
      return { status: 400, json: { code: "param.invalid", message: "no subscription" } };
    }
    const ticket = randomUUID();
    tickets.add(ticket);
    return { json: { endpoint: server.url.replace("http", "ws"), ticket } };
  };
  const upload = ({ query, bytes, headers }: Heard): Reply => {
    if (!tokens.has(query.get("access_token") ?? ""))
      return { json: { errcode: 40014, errmsg: "不合法的access_token" } };
    const [file] = multipart(bytes, headers["content-type"]);
    const type = query.get("type") ?? "";
    if (file?.name !== "media" || file.filename === undefined)
      return { json: { errcode: 40035, errmsg: "no media" } };
    uploaded.push({ type, name: file.filename, bytes: file.bytes });
    const media_id = `@${type}-${randomUUID()}`;
    media.add(media_id);
    return { json: { errcode: 0, errmsg: "ok", type, media_id } };
  };
  const send = ({ json }: Heard): Reply => {
    if (textAt(json, "robotCode") !== APP.clientId) {
      return { status: 400, json: { code: "robot.notExist", message: "robot 不存在" } };
    }
    const content: unknown = JSON.parse(textAt(json, "msgParam") ?? "{}");
    const ids = ["photoURL", "mediaId", "videoMediaId", "picMediaId"].map((key) => textAt(content, key));
    if (ids.some((id) => id !== undefined && !media.has(id))) {
      return { status: 400, json: { code: "media.notExist", message: "no such media" } };
    }
    return { json: { processQueryKey: randomUUID(), invalidStaffIdList: [], flowControlledStaffIdList: [] } };
  };
  const answer = (heard: Heard): Reply => {
    if (heard.path === "/v1.0/oauth2/accessToken") return issue(heard);
    if (heard.path === "/v1.0/gateway/connections/open") return open(heard);
    if (heard.path === "/media/upload") return upload(heard);
    if (heard.path.startsWith("/files/")) return { bytes: Buffer.from(`bytes of ${heard.path.slice(7)}`) };
    if (!tokens.has(String(heard.headers["x-acs-dingtalk-access-token"]))) {
      return { status: 401, json: { code: "InvalidAuthentication", message: "不合法的access_token" } };
    }
    if (heard.path === "/v1.0/robot/messageFiles/download") {
      return { json: { downloadUrl: `${server.url}/files/${textAt(heard.json, "downloadCode")}` } };
    }
    return send(heard);
  };
  const connect = (socket: WebSocket, url: URL): void => {
    if (!tickets.delete(url.searchParams.get("ticket") ?? "")) socket.close(4001);
    socket.on("message", (bytes) => {
      const id = textAt(JSON.parse(String(bytes)), "headers", "messageId");
      if (id !== undefined) acknowledged.push(id);
    });
  };
  const say = (message: unknown): void => {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    for (const socket of server.sockets) socket.send(text);
  };

  const server = await startChatServer({ answer, connect });
  return Object.assign(server, {
    tokens,
    uploaded,
    acknowledged,
    say,
    push: (data: unknown) => {
      const messageId = randomUUID();
      say({
        specVersion: "1.0",
        type: "CALLBACK",
        headers: { topic: ROBOT, messageId },
        data: JSON.stringify(data),
      });
      return messageId;
    },
  });
}
