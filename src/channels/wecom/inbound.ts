import type { InboundFile, InboundMessage } from "../channel.ts";
import { chatName } from "../chat-id.ts";
import { download } from "../http/download.ts";
import { at, listAt, numberAt, textAt } from "../http/fields.ts";
import { deciphered } from "./decipher.ts";

/** Kinds of messages that are files. A name isn't said. */
const FILE_KINDS: Readonly<Record<string, string>> = { image: "", file: "", video: ".mp4" };

/** Reads what the service brought; `undefined` when it is no message. `origin` is where files may come from besides HTTPS. */
export function readMessage(body: unknown, origin: string): InboundMessage | undefined {
  const id = textAt(body, "msgid");
  const senderId = textAt(body, "from", "userid");
  if (id === undefined || senderId === undefined) return undefined;
  const group = textAt(body, "chatid");
  const isGroup = textAt(body, "chattype") === "group" && group !== undefined;
  const parts = textAt(body, "msgtype") === "mixed" ? listAt(body, "mixed", "msg_item") : [body];
  const texts = parts.map(textOf).filter((text) => text !== "");
  const files = parts.flatMap((part, place) => fileOf(part, place + 1, origin));
  const seconds = numberAt(body, "create_time");
  return {
    id,
    senderId,
    chat: isGroup ? chatName("group", group) : chatName("user", senderId),
    text: texts.join("\n"),
    files,
    receivedAtMs: seconds === undefined ? Date.now() : seconds * 1000,
  };
}

function textOf(part: unknown): string {
  const kind = textAt(part, "msgtype") ?? "";
  if (kind === "text" || kind === "voice") return (textAt(part, kind, "content") ?? "").trim();
  return kind in FILE_KINDS ? "" : `[${kind}]`;
}

function fileOf(part: unknown, place: number, origin: string): readonly InboundFile[] {
  const kind = textAt(part, "msgtype") ?? "";
  const url = textAt(part, kind, "url");
  const ending = FILE_KINDS[kind];
  if (ending === undefined || url === undefined) return [];
  const key = textAt(at(part, kind), "aeskey");
  return [
    {
      name: `${kind}-${place}${ending}`,
      open: (signal) => {
        const pieces = download(url, origin, signal);
        return key === undefined ? pieces : deciphered(pieces, key);
      },
    },
  ];
}
