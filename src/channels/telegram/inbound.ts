import type { InboundFile, InboundMessage } from "../channel.ts";
import { at, listAt, numberAt, textAt } from "../http/fields.ts";

/** Fetches a file by Telegram's id of it. */
export type OpenFile = (fileId: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/** What may hang on a message, and what it is called when it has no name. */
const ATTACHED: readonly (readonly [key: string, name: string])[] = [
  ["document", "document"],
  ["video", "video.mp4"],
  ["audio", "audio.mp3"],
  ["voice", "voice.ogg"],
  ["animation", "animation.mp4"],
  ["video_note", "video.mp4"],
];

/** A message out of an update; `undefined` for updates about something else. */
export function readUpdate(update: unknown, open: OpenFile): InboundMessage | undefined {
  const message = at(update, "message");
  const chat = numberAt(message, "chat", "id") ?? at(message, "chat", "id");
  const id = numberAt(message, "message_id");
  // Who writes in a channel's or a group's name has that one's id.
  const sender = at(message, "sender_chat", "id") ?? at(message, "from", "id");
  if (typeof chat !== "number" || id === undefined || typeof sender !== "number") return undefined;
  const senderName = textAt(message, "sender_chat", "title") ?? nameOf(message);
  return {
    id: String(id),
    senderId: String(sender),
    ...(senderName === undefined ? {} : { senderName }),
    chat: String(chat),
    text: textAt(message, "text") ?? textAt(message, "caption") ?? "",
    files: filesOf(message, open),
    receivedAtMs: (numberAt(message, "date") ?? 0) * 1000,
  };
}

function nameOf(message: unknown): string | undefined {
  const names = [textAt(message, "from", "first_name"), textAt(message, "from", "last_name")];
  return names.filter((name) => name !== undefined).join(" ") || undefined;
}

function filesOf(message: unknown, open: OpenFile): readonly InboundFile[] {
  const files: InboundFile[] = [];
  // The same picture in several sizes, the largest last.
  const photo = listAt(message, "photo").at(-1);
  if (photo !== undefined) files.push(...fileOf(photo, "photo.jpg", open));
  for (const [key, name] of ATTACHED) {
    // A GIF comes as an animation and as a document, which are the same file.
    if (key === "document" && at(message, "animation") !== undefined) continue;
    const attached = at(message, key);
    if (attached !== undefined) files.push(...fileOf(attached, name, open));
  }
  return files;
}

function fileOf(value: unknown, usual: string, open: OpenFile): readonly InboundFile[] {
  const id = textAt(value, "file_id");
  if (id === undefined) return [];
  const size = numberAt(value, "file_size");
  const name = textAt(value, "file_name") ?? usual;
  return [{ name, ...(size === undefined ? {} : { size }), open: (signal) => open(id, signal) }];
}
