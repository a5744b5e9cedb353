import { mp4DurationMs } from "../media/mp4-duration.ts";
import type { MediaFile } from "../media-file.ts";
import { withoutMentions } from "../no-mentions.ts";

/** A message as Feishu takes it. */
export interface FeishuMessage {
  readonly type: "text" | "image" | "file" | "media";
  readonly content: Readonly<Record<string, string>>;
}

/** An upload: where to, what goes into the form, and which message is made of the answer's key. */
export interface FeishuUpload {
  readonly path: string;
  readonly form: Readonly<Record<string, unknown>>;
  readonly key: "image_key" | "file_key";
  readonly type: FeishuMessage["type"];
}

/** Larger pictures are sent as files. */
const PICTURE_BYTES = 10 * 1024 * 1024;
const FILE_TYPES: Readonly<Record<string, string>> = {
  pdf: "pdf",
  doc: "doc",
  docx: "doc",
  xls: "xls",
  xlsx: "xls",
  ppt: "ppt",
  pptx: "ppt",
  mp4: "mp4",
};

/** A text's message. */
export function textMessage(text: string): FeishuMessage {
  return { type: "text", content: { text: withoutMentions(text) } };
}

/** How a file is uploaded. */
export function uploadOf({ name, kind, format, bytes }: MediaFile): FeishuUpload {
  const content = Buffer.from(bytes);
  if (kind === "image" && bytes.length <= PICTURE_BYTES) {
    const form = { image_type: "message", image: content };
    return { path: "/open-apis/im/v1/images", form, key: "image_key", type: "image" };
  }
  const fileType = FILE_TYPES[format] ?? "stream";
  const duration = fileType === "mp4" ? mp4DurationMs(bytes) : undefined;
  const form = {
    file_type: fileType,
    file_name: name,
    ...(duration !== undefined && { duration }),
    file: content,
  };
  const type = fileType === "mp4" ? "media" : "file";
  return { path: "/open-apis/im/v1/files", form, key: "file_key", type };
}
