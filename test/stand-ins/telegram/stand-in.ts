/**
 * A STAND-IN for Telegram's Bot API, since a bot can't be had where the tests run. It follows the public documentation: updates by long
 * polling, messages and files, limits, and errors with their codes. What passes against it has not been tried with Telegram.
 */
import { at, numberAt, textAt } from "../../../src/channels/http/fields.ts";
import { isObject } from "../../../src/lib/json.ts";
import { multipart } from "../chat/multipart.ts";
import { type ChatServer, type Heard, type Reply, startChatServer } from "../chat/server.ts";

/** The bot that it knows. */
export const TOKEN = "4242:AAAA-stand-in_of_a_secret_1234";

const METHOD_PATH = new RegExp(`^/bot${TOKEN}/(\\w+)$`);
const FILE_PATH = new RegExp(`^/file/bot${TOKEN}/(.+)$`);

/** A message as it was sent. */
export interface SentMessage {
  readonly method: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly file?: { readonly name: string; readonly bytes: Buffer };
}

/** The service, with what happened in it. */
export interface TelegramStandIn extends ChatServer {
  readonly sent: SentMessage[];
  /** Files that a person sent, by their path. */
  readonly files: Map<string, Buffer>;
  /** Gives the bot an update. */
  push(message: object): void;
}

/** Breaks or refuses the next calls of a method. */
export const method = (name: string): string => `POST /bot${TOKEN}/${name}`;

/** An error as the service gives it. */
export function telegramError(code: number, description: string, parameters?: object): Reply {
  return {
    status: code,
    json: { ok: false, error_code: code, description, ...(parameters && { parameters }) },
  };
}

interface Update {
  readonly update_id: number;
  readonly message: object;
}

/** Starts one. */
export async function startTelegram(): Promise<TelegramStandIn> {
  const sent: SentMessage[] = [];
  const files = new Map<string, Buffer>();
  const updates: Update[] = [];
  let lastUpdate = 100;
  const send = (message: SentMessage): Reply => {
    const refused = refusalOf(message);
    if (refused !== undefined) return refused;
    sent.push(message);
    return ok({ message_id: sent.length, date: 0, chat: { id: 1, type: "private" } });
  };
  const answer = (heard: Heard): Reply => {
    const file = FILE_PATH.exec(heard.path)?.[1];
    if (file !== undefined) return fileReply(files.get(decodeURI(file)));
    const name = METHOD_PATH.exec(heard.path)?.[1];
    switch (name) {
      case undefined:
        return telegramError(401, "Unauthorized");
      case "getMe":
        return ok({ id: 4242, is_bot: true, first_name: "Gate", username: "gate_bot" });
      case "getUpdates":
        return ok(takeUpdates(updates, numberAt(heard.json, "offset") ?? 0));
      case "getFile":
        return getFile(textAt(heard.json, "file_id") ?? "", files);
      default:
        return name.startsWith("send") ? send(readMessage(name, heard)) : telegramError(404, "Not Found");
    }
  };
  const server = await startChatServer({
    answer: (heard) => answer(heard),
    connect: (socket) => socket.close(),
  });
  return {
    ...server,
    sent,
    files,
    push(message): void {
      lastUpdate += 1;
      updates.push({ update_id: lastUpdate, message });
    },
  };
}

const ok = (result: unknown): Reply => ({ json: { ok: true, result } });

/** What was confirmed by asking for later ones is forgotten. The real service waits when there is none; a test needn't. */
function takeUpdates(updates: Update[], offset: number): readonly Update[] {
  while (updates[0] !== undefined && updates[0].update_id < offset) updates.shift();
  return updates.slice(0, 100);
}

function getFile(id: string, files: ReadonlyMap<string, Buffer>): Reply {
  if (!files.has(id))
    return telegramError(400, "Bad Request: wrong file_id or the file is temporarily unavailable");
  return ok({ file_id: id, file_unique_id: id, file_path: id });
}

function fileReply(bytes: Buffer | undefined): Reply {
  return bytes === undefined ? { status: 404, json: { ok: false } } : { bytes };
}

/** A file's part has a name of its own, to which its field refers as `attach://NAME`. */
function readMessage(name: string, { json, bytes, headers }: Heard): SentMessage {
  if (isObject(json)) return { method: name, fields: json };
  const parts = multipart(bytes, headers["content-type"]);
  const fields = parts.map((part) => [part.name, part.bytes.toString()] as const);
  const attached = fields.find(([, value]) => value.startsWith("attach://"))?.[1].slice("attach://".length);
  const file = parts.find((part) => part.name === attached);
  const kept = fields.filter(([key, value]) => key !== attached && !value.startsWith("attach://"));
  return {
    method: name,
    fields: Object.fromEntries(kept),
    ...(file && { file: { name: fileName(bytes, file.name), bytes: file.bytes } }),
  };
}

/** The package writes it without quotes. */
function fileName(body: Buffer, part: string): string {
  return new RegExp(`name="${part}";filename="?([^"\r\n]*)`).exec(body.toString())?.[1] ?? "";
}

function refusalOf({ method: name, fields }: SentMessage): Reply | undefined {
  const text = String(at(fields, "text") ?? at(fields, "caption") ?? "");
  if (String(fields.chat_id) === "404") return telegramError(400, "Bad Request: chat not found");
  if (String(fields.chat_id) === "403") return telegramError(403, "Forbidden: bot was blocked by the user");
  if (name === "sendMessage" && text === "") return telegramError(400, "Bad Request: message text is empty");
  if (text.length > (name === "sendMessage" ? 4096 : 1024))
    return telegramError(400, "Bad Request: message is too long");
  return undefined;
}
