import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { randomHex } from "../../lib/random-hex.ts";
import { systemError } from "../system-error.ts";

/**
 * Opens a file without a name that holds the given bytes, to be a program's standard input. A file rather than a pipe:
 * a program may stop reading whenever it likes, may open `/dev/stdin` as often as it likes, and nothing has to be fed to it.
 */
export async function openInput(scratch: string, bytes: Uint8Array, mode = 0o600): Promise<FileHandle> {
  const path = join(scratch, `stdin-${randomHex(9)}`);
  const writing = await open(path, "wx", mode).catch((error: unknown) => {
    throw systemError(error, path);
  });
  try {
    await writing.writeFile(bytes);
    return await open(path, "r");
  } finally {
    await writing.close();
    await unlink(path);
  }
}
