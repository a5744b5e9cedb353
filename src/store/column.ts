import { createHash } from "node:crypto";

/** Longer ones don't fit into an index of every database. */
const MAX_LENGTH = 512;
const HASHED = "sha256:";

/**
 * A text as columns that are searched hold it. Ids come from outside: one that a database can't take, or that is very long, is stood
 * for by its hash. The entry itself keeps the text as it came.
 */
export function column(text: string): string {
  const fits = text.length <= MAX_LENGTH && text.isWellFormed() && !text.includes("\0");
  if (fits && !text.startsWith(HASHED)) return text;
  // As JSON, so that texts that are no Unicode stay apart.
  return HASHED + createHash("sha256").update(JSON.stringify(text)).digest("hex");
}
