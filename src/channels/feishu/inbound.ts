import type { InboundFile, InboundMessage } from "../channel.ts";
import { listAt, numberAt, parsed, textAt } from "../http/fields.ts";

/** A file of a message, by its key. */
export interface FeishuResource {
  readonly messageId: string;
  readonly key: string;
  readonly type: "image" | "file";
}

/** Fetches one. */
export type FetchResource = (resource: FeishuResource, signal: AbortSignal) => AsyncIterable<Uint8Array>;

interface Content {
  readonly text: string;
  readonly files: readonly InboundFile[];
}

/** Names of files that have none, by the kind of message. */
const NAMES: Readonly<Record<string, string>> = {
  file: "file-1",
  audio: "audio-1.opus",
  media: "video-1.mp4",
};

/** Reads the event of a message; `undefined` when it is none of a person. */
export function readEvent(event: unknown, fetchResource: FetchResource): InboundMessage | undefined {
  const id = textAt(event, "message", "message_id");
  const chat = textAt(event, "message", "chat_id");
  const senderId = textAt(event, "sender", "sender_id", "open_id");
  if (id === undefined || chat === undefined || senderId === undefined) return undefined;
  const type = textAt(event, "message", "message_type") ?? "";
  const content = parsed(textAt(event, "message", "content") ?? "");
  const file = (name: string, key: string, kind: FeishuResource["type"]): InboundFile => ({
    name,
    open: (signal) => fetchResource({ messageId: id, key, type: kind }, signal),
  });
  const { text, files } = contentOf(type, content, file);
  return {
    id,
    senderId,
    chat,
    text: withNames(text, listAt(event, "message", "mentions")).trim(),
    files,
    receivedAtMs: numberAt(event, "message", "create_time") ?? Date.now(),
  };
}

type MakeFile = (name: string, key: string, type: FeishuResource["type"]) => InboundFile;

function contentOf(type: string, content: unknown, file: MakeFile): Content {
  if (type === "text") return { text: textAt(content, "text") ?? "", files: [] };
  if (type === "post") return post(content, file);
  const picture = textAt(content, "image_key");
  if (type === "image" && picture !== undefined) {
    return { text: "", files: [file("image-1", picture, "image")] };
  }
  const key = textAt(content, "file_key");
  const name = NAMES[type];
  if (key === undefined || name === undefined) return { text: `[${type}]`, files: [] };
  return { text: "", files: [file(textAt(content, "file_name") ?? name, key, "file")] };
}

/** A text with pictures, line by line. */
function post(content: unknown, file: MakeFile): Content {
  const lines = listAt(content, "content").map((line) => (Array.isArray(line) ? line : []));
  const pictures = lines.flat().flatMap((part) => textAt(part, "image_key") ?? []);
  const texts = lines.map((parts) => parts.map(words).join(""));
  return {
    text: [textAt(content, "title") ?? "", ...texts].join("\n"),
    files: pictures.map((key, place) => file(`image-${place + 1}`, key, "image")),
  };
}

function words(part: unknown): string {
  const name = textAt(part, "user_name");
  const text = textAt(part, "text") ?? (name === undefined ? "" : `@${name}`);
  const link = textAt(part, "href");
  return link === undefined || link === text ? text : `${text} (${link})`;
}

/** Who is called stands in a text as `@_user_1`. */
function withNames(text: string, mentions: readonly unknown[]): string {
  return mentions.reduce<string>((before, mention) => {
    const key = textAt(mention, "key");
    const name = textAt(mention, "name");
    return key === undefined || name === undefined ? before : before.replaceAll(key, `@${name}`);
  }, text);
}
