import { randomBytes } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ToolgateError } from "../errors.ts";

/** Bytes of a key. */
export const KEY_BYTES = 32;

/**
 * The key in a file that only its owner can read, made when there is none. Processes that come at the same time get the same one.
 * @throws ToolgateError `store_corrupt` when the file holds something else
 */
export function keyFile(path: string): Uint8Array {
  const found = read(path);
  if (found !== undefined) return found;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("hex")}\n`, {
    mode: 0o600,
    flag: "wx",
    flush: true,
  });
  try {
    // A link is there whole or not at all, and never replaces what another process was faster to make.
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = read(path);
  if (made !== undefined) return made;
  throw new ToolgateError("store_corrupt", `The key ${path} vanished while it was made.`);
}

function read(path: string): Uint8Array | undefined {
  let text: string;
  try {
    // As with keys of ssh: one that others could have put there, or have read, is none.
    if (!isPrivate(lstatSync(path))) {
      throw new ToolgateError("store_corrupt", `${path} isn't a file that only this user can read.`, {
        hint: "Remove it: a new one is made, and what was approved with the old one is asked again.",
      });
    }
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const key = Buffer.from(text.trim(), "hex");
  if (key.length === KEY_BYTES) return key;
  throw new ToolgateError("store_corrupt", `${path} holds no key of ${KEY_BYTES} bytes in hex.`, {
    hint: "Remove it: a new one is made, and what was approved with the old one is asked again.",
  });
}

function isPrivate(stat: Stats): boolean {
  if (!stat.isFile()) return false;
  // Windows keeps neither owners nor modes in this form.
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
