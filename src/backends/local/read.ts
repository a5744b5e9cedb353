import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { ReadFileOptions } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { checkAborted, checkPath, systemError } from "../system-error.ts";
import { checkLeadsTo } from "./leads-to.ts";

/** The most one answer may hold; above it a caller has to read in parts. */
const MAX_WHOLE = 2 ** 31 - 1;
const PIECE = 1024 * 1024;
/** Between two looks at the abort signal. */
const STRIDE = 16 * PIECE;

/** Reads a file or a part of it. */
export async function readFile(path: string, options: ReadFileOptions = {}): Promise<Uint8Array> {
  checkPath(path);
  checkAborted(options.signal, path);
  try {
    const { handle, size } = await openRegular(path, options.realPath);
    try {
      return await readPart(handle, { path, size, ...options });
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw systemError(error, path);
  }
}

/** Streams a file. Two buffers take turns: one is read into while the other is being looked at. */
export async function* readStream(path: string, options: ReadFileOptions = {}): AsyncGenerator<Uint8Array> {
  const { offset = 0, length = Number.POSITIVE_INFINITY, signal } = options;
  checkPath(path);
  checkAborted(signal, path);
  const { handle, size } = await openRegular(path, options.realPath).catch((error: unknown) => {
    throw systemError(error, path);
  });
  const capacity = Math.max(1, Math.min(PIECE, length, size > offset ? size - offset : PIECE));
  let [current, spare] = [Buffer.allocUnsafeSlow(capacity), Buffer.allocUnsafeSlow(capacity)];
  const fill = (buffer: Buffer, from: number): Promise<number> =>
    readFully(handle, buffer.subarray(0, Math.min(capacity, length - (from - offset))), from);
  let ahead: Promise<number> = fill(current, offset);
  try {
    for (let at = offset; ; ) {
      const count = await ahead;
      if (count === 0) return;
      checkAborted(signal, path);
      at += count;
      ahead = fill(spare, at);
      // Whoever stops early never looks at this one; its failure must not surface as unhandled.
      ahead.catch(() => undefined);
      yield current.subarray(0, count);
      [current, spare] = [spare, current];
    }
  } catch (error) {
    throw systemError(error, path);
  } finally {
    await ahead.catch(() => undefined);
    await handle.close();
  }
}

interface Part extends ReadFileOptions {
  readonly path: string;
  readonly size: number;
}

async function readPart(handle: FileHandle, part: Part): Promise<Uint8Array> {
  const { path, size, offset = 0, length = Number.POSITIVE_INFINITY, signal } = part;
  // `/proc` and the like say 0 and have content all the same.
  if (size === 0) return readToEnd(handle, offset, length);
  const wanted = Math.min(length, Math.max(0, size - offset));
  if (wanted > MAX_WHOLE) {
    throw new ToolgateError("too_large", `${path} has ${size} bytes, more than fit in one answer.`, {
      hint: "Read it in parts, with offset and length.",
    });
  }
  // Not from the shared pool: the caller gets the whole ArrayBuffer and nothing of anybody else's.
  const bytes = Buffer.allocUnsafeSlow(wanted);
  for (let done = 0; done < wanted; ) {
    checkAborted(signal, path);
    const count = await readFully(handle, bytes.subarray(done, done + STRIDE), offset + done);
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}

async function readToEnd(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for (let done = 0; done < length; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(64 * 1024, length - done));
    const { bytesRead } = await handle.read(piece, 0, piece.length, offset + done);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    done += bytesRead;
  }
  return Buffer.concat(pieces);
}

/** Reads until the buffer is full or the file ends. */
async function readFully(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await handle.read(buffer, done, buffer.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

async function openRegular(
  path: string,
  realPath: string | undefined,
): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  // Without O_NONBLOCK the open of a named pipe would wait for a writer, for ever.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new ToolgateError("not_a_file", `Is a directory: ${path}`);
    if (!stat.isFile()) throw new ToolgateError("not_a_file", `Not a regular file: ${path}`);
    if (realPath !== undefined) await checkLeadsTo(handle, { path, realPath });
    return { handle, size: stat.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
