import { createDecipheriv } from "node:crypto";
import { ToolgateError } from "../../errors.ts";

const KEY_BYTES = 32;
/** WeCom fills up to whole blocks of 32 bytes, two of the cipher's own. */
const BLOCK_BYTES = 32;

/**
 * Deciphers a file while it comes: AES-256 in CBC mode, whose start vector is the key's first half.
 * @throws ToolgateError `connection_failed` when it can't be deciphered with that key, after what could be
 */
export async function* deciphered(
  pieces: AsyncIterable<Uint8Array>,
  base64Key: string,
): AsyncGenerator<Uint8Array> {
  const key = Buffer.from(base64Key, "base64");
  if (key.length !== KEY_BYTES) throw unreadable("its key has a wrong length");
  const decipher = createDecipheriv("aes-256-cbc", key, key.subarray(0, 16));
  decipher.setAutoPadding(false);
  // What may be the filling is held back until more has come.
  let held = Buffer.alloc(0);
  for await (const piece of pieces) {
    const clear = Buffer.concat([held, decipher.update(piece)]);
    const sure = Math.max(0, clear.length - BLOCK_BYTES);
    if (sure > 0) yield clear.subarray(0, sure);
    held = Buffer.from(clear.subarray(sure));
  }
  try {
    held = Buffer.concat([held, decipher.final()]);
  } catch (cause) {
    throw unreadable("it is cut short", cause);
  }
  yield withoutFilling(held);
}

function withoutFilling(end: Buffer): Buffer {
  const count = end.at(-1) ?? 0;
  const filling = end.subarray(end.length - count);
  if (count < 1 || count > BLOCK_BYTES || count > end.length || filling.some((byte) => byte !== count)) {
    throw unreadable("the key isn't the file's, or it is cut short");
  }
  return end.subarray(0, end.length - count);
}

function unreadable(why: string, cause?: unknown): ToolgateError {
  return new ToolgateError("connection_failed", `The file can't be deciphered: ${why}.`, { cause });
}
