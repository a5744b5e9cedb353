import type { MediaKind } from "../media-file.ts";

/** One of the formats that may be sent. */
export interface MediaFormat {
  readonly kind: MediaKind;
  readonly mediaType: string;
  /** For people: "a PNG image". */
  readonly what: string;
}

const image = (what: string, type: string): MediaFormat => ({
  kind: "image",
  mediaType: `image/${type}`,
  what,
});
const document = (what: string, type: string): MediaFormat => ({
  kind: "document",
  mediaType: `application/${type}`,
  what,
});
const office = (what: string, type: string): MediaFormat =>
  document(what, `vnd.openxmlformats-officedocument.${type}`);
const archive = (what: string, type: string): MediaFormat => ({
  kind: "archive",
  mediaType: `application/${type}`,
  what,
});

/** Every format that may be sent, by the name's ending. */
export const MEDIA_FORMATS: ReadonlyMap<string, MediaFormat> = new Map<string, MediaFormat>([
  ["png", image("a PNG image", "png")],
  ["jpg", image("a JPEG image", "jpeg")],
  ["jpeg", image("a JPEG image", "jpeg")],
  ["gif", image("a GIF image", "gif")],
  ["bmp", image("a BMP image", "bmp")],
  ["webp", image("a WebP image", "webp")],
  ["pdf", document("a PDF document", "pdf")],
  ["doc", document("an old Word document", "msword")],
  ["docx", office("a Word document", "wordprocessingml.document")],
  ["xls", document("an old Excel workbook", "vnd.ms-excel")],
  ["xlsx", office("an Excel workbook", "spreadsheetml.sheet")],
  ["ppt", document("an old PowerPoint presentation", "vnd.ms-powerpoint")],
  ["pptx", office("a PowerPoint presentation", "presentationml.presentation")],
  ["txt", { kind: "document", mediaType: "text/plain", what: "a text" }],
  ["zip", archive("a ZIP archive", "zip")],
  ["rar", archive("a RAR archive", "vnd.rar")],
  ["7z", archive("a 7-Zip archive", "x-7z-compressed")],
  ["mp3", { kind: "audio", mediaType: "audio/mpeg", what: "an MP3 audio file" }],
  ["mp4", { kind: "video", mediaType: "video/mp4", what: "an MP4 video" }],
  ["avi", { kind: "video", mediaType: "video/x-msvideo", what: "an AVI video" }],
  ["mov", { kind: "video", mediaType: "video/quicktime", what: "a QuickTime video" }],
  ["json", { kind: "data", mediaType: "application/json", what: "a JSON text" }],
  ["xml", { kind: "data", mediaType: "application/xml", what: "an XML text" }],
  ["csv", { kind: "data", mediaType: "text/csv", what: "a table of values" }],
  ["md", { kind: "data", mediaType: "text/markdown", what: "a Markdown text" }],
]);

/** A name's ending in small letters, without the dot; empty when there is none. */
export function endingOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}
