import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileStat, WriteFileOptions } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { errorCode } from "../system-error.ts";
import { type Data, fill } from "./fill.ts";
import { describeStat } from "./stat.ts";

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/** Adds to the end of a file, in place, and makes it when it is missing. */
export async function appendTo(path: string, data: Data, options: WriteFileOptions): Promise<FileStat> {
  const handle = await open(path, FLAGS, options.mode ?? 0o666).catch((error: unknown) => {
    if (errorCode(error) !== "ELOOP") throw error;
    throw new ToolgateError("unsupported", "Is a symbolic link.", { cause: error });
  });
  try {
    if (!(await handle.stat()).isFile()) throw new ToolgateError("not_a_file", "Not a regular file.");
    await fill(handle, data, options.signal);
    return describeStat(await handle.stat({ bigint: true }));
  } finally {
    await handle.close();
  }
}
