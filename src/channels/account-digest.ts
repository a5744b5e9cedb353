import { createHash } from "node:crypto";

/** Tells one account of a service from another without saying which it is. */
export function accountDigest(name: string, id: string): string {
  return createHash("sha256").update(`${name}\0${id}`).digest("hex").slice(0, 32);
}
