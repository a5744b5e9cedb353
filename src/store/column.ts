import { createHash } from "node:crypto";

/** Longer ones don't fit into an index of every database. */
const MAX_LENGTH = 512;

/**
 * A text as columns that are searched hold it. Ids come from outside: what a database can't take is replaced, and a very long one is
 * stood for by its hash. The entry itself keeps the text as it came.
 */
export function column(text: string): string {
  const clean = text.toWellFormed().replaceAll("\0", "\uFFFD");
  if (clean.length <= MAX_LENGTH) return clean;
  return `sha256:${createHash("sha256").update(clean).digest("hex")}`;
}
