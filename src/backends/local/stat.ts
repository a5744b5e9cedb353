import type { BigIntStats } from "node:fs";
import type { FileKind, FileStat } from "../../backend.ts";

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The kind of a directory entry or of what was looked at. */
export function kindOf(entry: Kinds): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

/** A system answer as the interface says it. Nanoseconds go into the version: two writes in one millisecond differ. */
export function describeStat(stat: BigIntStats): FileStat {
  return {
    kind: kindOf(stat),
    size: Number(stat.size),
    mtimeMs: Number(stat.mtimeNs) / 1e6,
    mode: Number(stat.mode & 0o7777n),
    links: Number(stat.nlink),
    version: [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].map((n) => n.toString(36)).join("."),
  };
}
