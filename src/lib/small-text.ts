import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** More than anybody writes by hand. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a text that a person wrote, such as settings. What came with a project may be a link to a pipe or a device, which would
 * never end: only plain files are read.
 * @throws what the file system throws, and an error for what is no plain file or too large
 */
export async function readSmallText(path: string): Promise<string> {
  // Without O_NONBLOCK the open of a named pipe would wait for a writer, for ever.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error("it is no plain file");
    if (stat.size > MAX_BYTES) throw new Error(`it has ${stat.size} bytes; ${MAX_BYTES} are the most`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}
