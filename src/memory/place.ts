import { hash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Backend } from "../backend.ts";

/** Where indexes are kept: in the user's own folder, since a workspace may come from anybody. */
export function defaultIndexDirectory(): string {
  return join(homedir(), ".toolgate", "memory");
}

/** The directory for one file of one backend. */
export function indexDirectoryOf(base: string, { id }: Backend, path: string): string {
  return join(base, hash("sha256", `${id}\0${path}`, "hex").slice(0, 32));
}
