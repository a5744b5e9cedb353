import { endingOf, MEDIA_FORMATS } from "../../../src/channels/media/formats.ts";
import type { MediaFile } from "../../../src/channels/media-file.ts";

/** A file to send. Its content is only bytes: what files hold is checked before they reach a channel. */
export function mediaFile(name: string, content: string | Uint8Array = `content of ${name}`): MediaFile {
  const format = endingOf(name);
  const { kind, mediaType } = MEDIA_FORMATS.get(format) ?? { kind: "data", mediaType: "text/plain" };
  return { name, format, kind, mediaType, bytes: Buffer.from(content) };
}
