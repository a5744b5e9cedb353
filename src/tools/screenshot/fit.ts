import { imageInfo } from "../../lib/image-info.ts";
import { type Pixels, shrunk } from "../../lib/pixels.ts";
import { decodePng } from "../../lib/png-decode.ts";
import { encodePng } from "../../lib/png-encode.ts";
import { MAX_IMAGE_BYTES } from "../read/image.ts";

/** A picture as a model may be given it. */
export interface Fitted {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** What the file's own size is. */
  readonly whole: { readonly width: number; readonly height: number };
}

/** A PNG made small enough for a model, if it isn't yet; `undefined` when it can't be read. */
export function fitted(bytes: Uint8Array, maxSide: number): Fitted | undefined {
  const { width, height, fault } = imageInfo(bytes, "image/png");
  if (width === undefined || height === undefined || fault !== undefined) return undefined;
  const whole = { width, height };
  const longest = Math.max(width, height);
  if (longest <= maxSide && bytes.length <= MAX_IMAGE_BYTES) return { bytes, width, height, whole };
  const pixels = decodePng(bytes);
  return pixels === undefined ? undefined : smaller(pixels, Math.min(1, maxSide / longest));
}

function smaller(picture: Pixels, first: number): Fitted {
  const { width, height } = picture;
  for (let scale = first; ; scale *= 0.7) {
    const small = shrunk(picture, scale);
    const bytes = encodePng(small);
    if (bytes.length <= MAX_IMAGE_BYTES) {
      return { bytes, width: small.width, height: small.height, whole: { width, height } };
    }
  }
}
