import type { FileHandle } from "node:fs/promises";
import { checkAborted } from "../system-error.ts";

/** What a file is written from. */
export type Data = Uint8Array | AsyncIterable<Uint8Array>;

/** Between two looks at the abort signal; the kernel takes 2 GiB at most in one call anyway. */
const STRIDE = 16 * 1024 * 1024;

/** Writes everything, piece by piece. */
export async function fill(handle: FileHandle, data: Data, signal: AbortSignal | undefined): Promise<void> {
  for await (const piece of data instanceof Uint8Array ? [data] : data) {
    for (let done = 0; done < piece.length; ) {
      checkAborted(signal, "writing");
      done += (await handle.write(piece, done, Math.min(piece.length - done, STRIDE))).bytesWritten;
    }
  }
  checkAborted(signal, "writing");
}
