import { encodePng } from "../../lib/png-encode.ts";
import { mp4DurationMs } from "../media/mp4-duration.ts";
import type { MediaFile } from "../media-file.ts";
import type { UploadType } from "./api.ts";

/** A message as robots send them: one of DingTalk's templates and what goes into it. */
export interface RobotMessage {
  readonly key: string;
  readonly content: Readonly<Record<string, string>>;
}

/** Uploads a file, and answers by what it is sent. */
export type Upload = (
  file: Pick<MediaFile, "name" | "bytes" | "mediaType">,
  type: UploadType,
) => Promise<string>;

/** Pictures that DingTalk shows; others are sent as files. */
const SHOWN = new Set(["png", "jpg", "jpeg", "gif", "bmp"]);
const COVER = { width: 320, height: 180 };

/** A text's message. */
export function textMessage(content: string): RobotMessage {
  return { key: "sampleText", content: { content } };
}

/** Uploads a file and answers its message: a picture or a video where DingTalk shows it, otherwise a file. @throws what `upload` throws */
export async function fileMessage(file: MediaFile, upload: Upload): Promise<RobotMessage> {
  const { name, format, bytes } = file;
  if (SHOWN.has(format)) {
    return { key: "sampleImageMsg", content: { photoURL: await upload(file, "image") } };
  }
  const durationMs = format === "mp4" ? mp4DurationMs(bytes) : undefined;
  if (durationMs === undefined) {
    const mediaId = await upload(file, "file");
    return { key: "sampleFile", content: { mediaId, fileName: name, fileType: format } };
  }
  const videoMediaId = await upload(file, "video");
  const picMediaId = await upload(cover(), "image");
  const duration = String(Math.max(1, Math.round(durationMs / 1000)));
  return { key: "sampleVideo", content: { duration, videoMediaId, videoType: format, picMediaId } };
}

/** A video needs a picture before it is played, and taking one out of it would need a decoder: it is a plain dark one. */
function cover(): Pick<MediaFile, "name" | "bytes" | "mediaType"> {
  const data = new Uint8Array(COVER.width * COVER.height * 4).fill(0x22);
  return { name: "cover.png", mediaType: "image/png", bytes: encodePng({ ...COVER, data }) };
}
