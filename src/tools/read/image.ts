import { dataBlock, type ToolChunk, toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import { view } from "../../lib/encoding.ts";
import { imageInfo } from "../../lib/image-info.ts";
import { sized } from "./notes.ts";

/** The most that model providers take of one image: 5 MiB of base64. */
export const MAX_IMAGE_BYTES: number = (5 * 1024 * 1024 * 3) / 4;
/** The longest side that providers take, in pixels. */
const MAX_IMAGE_SIDE = 8000;

/** An image that was read. */
export interface ImageFile {
  readonly path: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** False when `bytes` is only the start of a large file. */
  readonly whole: boolean;
  /** Bytes of the whole file. */
  readonly size: number;
  readonly accepted: readonly string[];
}

/** Whether a list of media types, `image/*` among them perhaps, has this one. */
export function accepts(types: readonly string[], mediaType: string): boolean {
  return types.some(
    (type) =>
      type === mediaType ||
      type === "*/*" ||
      (type.endsWith("/*") && mediaType.startsWith(type.slice(0, -1))),
  );
}

/**
 * An image as a data block: only one that a decoder will take and that the model accepts, since a
 * bad one would spoil every later request of the conversation.
 * @throws ToolgateError `unsupported`, `too_large`
 */
export function imageAnswer(image: ImageFile): ToolChunk {
  const { path, name, mediaType, bytes, size, accepted } = image;
  if (!accepts(accepted, mediaType)) {
    throw new ToolgateError(
      "unsupported",
      `${path} is ${mediaType} (${sized(size)}), which can't be shown.`,
      {
        hint: `Only ${accepted.join(", ")} can. Convert it, if you need to see it.`,
      },
    );
  }
  if (!image.whole) throw tooLarge(path, sized(size));
  const info = imageInfo(bytes, mediaType);
  if (info.fault !== undefined) {
    throw new ToolgateError(
      "unsupported",
      `${path} is a damaged ${mediaType}: ${info.fault}. It is not attached.`,
    );
  }
  if (Math.max(info.width ?? 0, info.height ?? 0) > MAX_IMAGE_SIDE) {
    throw tooLarge(path, `${info.width}×${info.height} pixels, above ${MAX_IMAGE_SIDE} on a side`);
  }
  if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge(path, sized(size));
  const pixels = info.width === undefined ? "" : `, ${info.width}×${info.height}`;
  return toolChunk({
    text: `[${name}: ${mediaType}${pixels}, ${sized(size)}]`,
    content: [dataBlock({ type: "base64", data: view(bytes).toString("base64"), mediaType }, name)],
    metadata: { file_path: path, kind: "image", mediaType, ...sizeOf(info.width, info.height) },
  });
}

function sizeOf(width: number | undefined, height: number | undefined): Readonly<Record<string, number>> {
  return width === undefined || height === undefined ? {} : { width, height };
}

function tooLarge(path: string, what: string): ToolgateError {
  return new ToolgateError("too_large", `The image ${path} is too large to show: ${what}.`, {
    hint: "Make a smaller copy of it and read that.",
  });
}
