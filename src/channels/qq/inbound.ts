import type { InboundFile, InboundMessage } from "../channel.ts";
import { type ChatKind, chatName } from "../chat-id.ts";
import { download } from "../http/download.ts";
import { listAt, numberAt, textAt } from "../http/fields.ts";

/** A message as QQ's gateway brings it. */
export interface QqMessage {
  readonly kind: ChatKind;
  readonly message: InboundMessage;
}

/** Which events are messages, and whose ids they carry. */
const EVENTS: ReadonlyMap<string, ChatKind> = new Map<string, ChatKind>([
  ["C2C_MESSAGE_CREATE", "user"],
  ["GROUP_AT_MESSAGE_CREATE", "group"],
]);

/** Reads a gateway's event; `undefined` when it is no message to the bot. `origin` is where files may come from besides HTTPS. */
export function readEvent(type: string, data: unknown, origin: string): QqMessage | undefined {
  const kind = EVENTS.get(type);
  const id = textAt(data, "id");
  if (kind === undefined || id === undefined) return undefined;
  const senderId =
    kind === "group"
      ? textAt(data, "author", "member_openid")
      : (textAt(data, "author", "user_openid") ?? textAt(data, "author", "id"));
  const chat = kind === "group" ? textAt(data, "group_openid") : senderId;
  if (senderId === undefined || chat === undefined) return undefined;
  const files = listAt(data, "attachments").flatMap((attachment, place) => {
    const file = readFile(attachment, place, origin);
    return file === undefined ? [] : [file];
  });
  const sentAtMs = Date.parse(textAt(data, "timestamp") ?? "");
  const message: InboundMessage = {
    id,
    senderId,
    chat: chatName(kind, chat),
    text: (textAt(data, "content") ?? "").trim(),
    files,
    receivedAtMs: Number.isFinite(sentAtMs) ? sentAtMs : Date.now(),
  };
  return { kind, message };
}

function readFile(attachment: unknown, place: number, origin: string): InboundFile | undefined {
  const url = textAt(attachment, "url");
  if (url === undefined) return undefined;
  const type = textAt(attachment, "content_type") ?? "";
  const size = numberAt(attachment, "size");
  const ending = /^(?:image|video)\/([a-z0-9]+)$/.exec(type)?.[1] ?? "bin";
  return {
    name: textAt(attachment, "filename") ?? `attachment-${place + 1}.${ending}`,
    ...(size !== undefined && { size }),
    open: (signal) => download(/^[a-z]+:\/\//i.test(url) ? url : `https://${url}`, origin, signal),
  };
}
