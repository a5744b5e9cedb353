import { pipeline, type Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { ToolgateError } from "../../errors.ts";

/** What of a response's body was taken. */
export interface Body {
  readonly bytes: Uint8Array;
  /** There was more than the limit. */
  readonly isCut: boolean;
}

/** Codings that are undone one after the other; more is a bomb. */
const MOST_CODINGS = 2;

/** An answer that breaks off is used as far as it came. */
const LENIENT = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", () => zlib.createGunzip(LENIENT)],
  ["x-gzip", () => zlib.createGunzip(LENIENT)],
  ["deflate", () => zlib.createInflate(LENIENT)],
  ["br", () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH })],
]);

/** The codings that are wished for (what `deflate` means differs from server to server), as `accept-encoding` says it. */
export const CODINGS = "gzip, br";

/**
 * Reads a body until it ends or has given `maxBytes`, counted after decompression, so that a small bomb stays small.
 * @throws ToolgateError `connection_failed`, `unsupported`
 */
export async function readBody(source: Readable, coding: string, maxBytes: number): Promise<Body> {
  // Letting go of it before its end is an error of its own, which nobody needs to hear of.
  source.on("error", () => undefined);
  const stream = decoded(source, coding);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of stream) {
      if (!(piece instanceof Uint8Array)) throw new TypeError("A body comes in bytes.");
      pieces.push(piece);
      size += piece.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_")) {
      throw new ToolgateError("connection_failed", `The site's answer is no valid ${coding}.`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    stream.destroy();
    source.destroy();
  }
  const bytes = Buffer.concat(pieces, Math.min(size, maxBytes));
  return { bytes, isCut: size > maxBytes };
}

function decoded(source: Readable, coding: string): Readable {
  const names = coding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const decoders = names.toReversed().map((name) => DECODERS.get(name)?.());
  if (names.length > MOST_CODINGS || decoders.includes(undefined)) {
    source.destroy();
    const named = coding.replace(/[^\w, -]/g, "").slice(0, 60);
    throw new ToolgateError(
      "unsupported",
      `The site's answer is packed in a way that isn't undone: ${named}.`,
    );
  }
  let last: Readable = source;
  for (const decoder of decoders) {
    if (decoder === undefined) continue;
    // What goes wrong is seen by who reads the end.
    last = pipeline(last, decoder, () => undefined);
  }
  return last;
}
