import type { InboundFile, InboundMessage } from "../channel.ts";
import { chatName } from "../chat-id.ts";
import { at, listAt, numberAt, textAt } from "../http/fields.ts";

/** Fetches a file of a message by its code. */
export type FetchFile = (code: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/** Kinds of messages that are files, with the endings that aren't said. */
const FILE_ENDINGS: Readonly<Record<string, string>> = {
  picture: "",
  audio: ".amr",
  video: ".mp4",
  file: "",
};

/** Reads a message to the robot; `undefined` when it is none. */
export function readMessage(data: unknown, fetchFile: FetchFile): InboundMessage | undefined {
  const id = textAt(data, "msgId");
  const senderId = textAt(data, "senderStaffId") ?? textAt(data, "senderId");
  const conversation = textAt(data, "conversationId");
  if (id === undefined || senderId === undefined || conversation === undefined) return undefined;
  const isGroup = textAt(data, "conversationType") === "2";
  const senderName = textAt(data, "senderNick");
  const { text, files } = contentOf(data, fetchFile);
  return {
    id,
    senderId,
    ...(senderName !== undefined && { senderName }),
    chat: isGroup ? chatName("group", conversation) : chatName("user", senderId),
    text: text.trim(),
    files,
    receivedAtMs: numberAt(data, "createAt") ?? Date.now(),
  };
}

function contentOf(data: unknown, fetchFile: FetchFile): Pick<InboundMessage, "text" | "files"> {
  const type = textAt(data, "msgtype") ?? "";
  if (type === "text") return { text: textAt(data, "text", "content") ?? "", files: [] };
  if (type === "richText") return richText(listAt(data, "content", "richText"), fetchFile);
  if (!(type in FILE_ENDINGS)) return { text: `[${type}]`, files: [] };
  const content = at(data, "content");
  // What was spoken, where DingTalk has made it out.
  return { text: textAt(content, "recognition") ?? "", files: fileOf(type, content, 1, fetchFile) };
}

function richText(parts: readonly unknown[], fetchFile: FetchFile): Pick<InboundMessage, "text" | "files"> {
  return {
    text: parts.map((part) => textAt(part, "text") ?? "").join(""),
    files: parts.flatMap((part, place) =>
      textAt(part, "type") === "picture" ? fileOf("picture", part, place + 1, fetchFile) : [],
    ),
  };
}

function fileOf(type: string, content: unknown, place: number, fetchFile: FetchFile): readonly InboundFile[] {
  const code = textAt(content, "downloadCode") ?? textAt(content, "pictureDownloadCode");
  if (code === undefined) return [];
  const name = textAt(content, "fileName") ?? `${type}-${place}${FILE_ENDINGS[type] ?? ""}`;
  return [{ name, open: (signal) => fetchFile(code, signal) }];
}
