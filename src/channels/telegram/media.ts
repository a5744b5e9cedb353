import type { InputFile, RawApi } from "grammy";
import { imageInfo } from "../../lib/image-info.ts";
import type { MediaFile } from "../media-file.ts";

/** How a file is sent: as what Telegram shows it, or as a file. */
export type SendAs = "photo" | "video" | "audio" | "animation" | "document";

const MEGABYTE = 1024 * 1024;
const PHOTOS: ReadonlySet<string> = new Set(["png", "jpg", "jpeg", "webp"]);

/** How a file is best sent. Telegram takes photos of 10 MB, 10000 pixels of width and height together, and sides of 1 to 20 at most. */
export function sendAs({ format, mediaType, bytes }: MediaFile): SendAs {
  if (PHOTOS.has(format)) {
    const { width, height, fault } = imageInfo(bytes, mediaType);
    if (fault !== undefined || width === undefined || height === undefined) return "document";
    const fits = bytes.length <= 10 * MEGABYTE && width + height <= 10_000;
    return fits && Math.max(width, height) <= 20 * Math.min(width, height) ? "photo" : "document";
  }
  if (format === "gif") return "animation";
  if (format === "mp4") return "video";
  return format === "mp3" ? "audio" : "document";
}

/** What every message with a file has. */
export interface MediaMessage {
  readonly chat_id: string;
  readonly caption?: string;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: boolean };
}

/** The call that sends a file so. */
export function mediaCall(
  as: SendAs,
  message: MediaMessage,
  file: InputFile,
): (raw: RawApi, signal: Parameters<RawApi["getMe"]>[0]) => Promise<{ readonly message_id: number }> {
  switch (as) {
    case "photo":
      return (raw, signal) => raw.sendPhoto({ ...message, photo: file }, signal);
    case "video":
      return (raw, signal) => raw.sendVideo({ ...message, video: file, supports_streaming: true }, signal);
    case "audio":
      return (raw, signal) => raw.sendAudio({ ...message, audio: file }, signal);
    case "animation":
      return (raw, signal) => raw.sendAnimation({ ...message, animation: file }, signal);
    case "document":
      return (raw, signal) =>
        raw.sendDocument({ ...message, document: file, disable_content_type_detection: true }, signal);
  }
}
