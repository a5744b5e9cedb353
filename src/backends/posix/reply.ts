import type { FileKind, FileStat } from "../../backend.ts";
import { type ErrorCode, ToolgateError, type ToolgateErrorOptions } from "../../errors.ts";
import { systemFailure } from "../system-error.ts";

/** What a script answered. */
export interface Reply {
  readonly status: number;
  readonly output: Buffer;
}

/** The status with which a script says by a word on its last line what was wrong. */
const WORD_STATUS = 9;

/** How the C libraries and shells word the system's errors, in small letters. */
const WORDINGS: ReadonlyMap<string, string> = new Map([
  ["no such file or directory", "ENOENT"],
  ["no such file", "ENOENT"],
  ["nonexistent directory", "ENOENT"],
  ["directory nonexistent", "ENOENT"],
  ["not a directory", "ENOTDIR"],
  ["is a directory", "EISDIR"],
  ["file exists", "EEXIST"],
  ["directory not empty", "ENOTEMPTY"],
  ["permission denied", "EACCES"],
  ["operation not permitted", "EPERM"],
  ["read-only file system", "EROFS"],
  ["no space left on device", "ENOSPC"],
  ["disk quota exceeded", "EDQUOT"],
  ["quota exceeded", "EDQUOT"],
  ["file too large", "EFBIG"],
  ["argument list too long", "E2BIG"],
  ["file name too long", "ENAMETOOLONG"],
  ["filename too long", "ENAMETOOLONG"],
  ["too many levels of symbolic links", "ELOOP"],
  ["too many symbolic links", "ELOOP"],
  ["symbolic link loop", "ELOOP"],
  ["invalid argument", "EINVAL"],
  ["device or resource busy", "EBUSY"],
  ["resource busy", "EBUSY"],
  ["invalid cross-device link", "EXDEV"],
  ["cross-device link", "EXDEV"],
  ["operation not supported", "ENOTSUP"],
  ["not supported", "ENOTSUP"],
  ["function not implemented", "ENOSYS"],
  ["text file busy", "ETXTBSY"],
]);

type Refusal = readonly [code: ErrorCode, say: (path: string) => string, options?: ToolgateErrorOptions];

const AGAIN = { hint: "Read it again before writing." };

/** The scripts' own words. */
const WORDS: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ["NOTDIR", ["not_a_directory", (path) => `Not a directory: ${path}`]],
  [
    "LINK",
    [
      "unsupported",
      (path) => `Is a symbolic link: ${path}`,
      { hint: "Write to the file it points to, by that file's own path." },
    ],
  ],
  ["EXISTS", ["stale", (path) => `${path} already exists since it was looked at.`, AGAIN]],
  ["STALE", ["stale", (path) => `${path} has changed since it was looked at.`, AGAIN]],
  [
    "OWNER",
    [
      "permission_denied",
      (path) => `Can't keep the owner of ${path}.`,
      { hint: "Only its owner or an administrator can replace it and keep whose it is." },
    ],
  ],
]);

/** What a script's answer means when its status isn't 0. */
export function replyError({ status, output }: Reply, path: string): ToolgateError {
  const said = output.toString().trim();
  const line = said.slice(said.lastIndexOf("\n") + 1);
  const refusal = status === WORD_STATUS ? WORDS.get(line) : undefined;
  if (refusal !== undefined) return new ToolgateError(refusal[0], refusal[1](path), refusal[2]);
  const name = status === WORD_STATUS ? line : errorName(line);
  return (
    systemFailure(name, path) ??
    new ToolgateError(
      "backend_unavailable",
      `${line.slice(0, 500) || `Failed with status ${status}`}: ${path}`,
    )
  );
}

/** The system's name of an error from a program's complaint about it; `""` when it says something else. */
export function errorName(complaint: string): string {
  const words = complaint.slice(complaint.lastIndexOf(": ") + 2).trim();
  return WORDINGS.get(words.toLowerCase()) ?? "";
}

const KINDS: ReadonlyMap<number, FileKind> = new Map([
  [0o100000, "file"],
  [0o040000, "directory"],
  [0o120000, "symlink"],
]);

/** A line of the scripts' `stat`. What follows mode and links is the version, as the scripts compare it. */
export function parseStat(reply: Reply, path: string): FileStat {
  if (reply.status !== 0) throw replyError(reply, path);
  const line = reply.output.toString().trim();
  const [, raw, links, version, size, time] =
    /^([0-9a-f]+) (\d+) ((\d+) \d+ \d+ ([^|]+)\|.*)$/.exec(line) ?? [];
  if (raw === undefined || version === undefined || time === undefined) {
    throw new ToolgateError("backend_unavailable", `The place's stat says of ${path}: ${line.slice(0, 200)}`);
  }
  const mode = Number.parseInt(raw, 16);
  return {
    kind: KINDS.get(mode & 0o170000) ?? "other",
    size: Number(size),
    mtimeMs: parseTime(time),
    mode: mode & 0o7777,
    links: Number(links),
    version,
  };
}

/** `2026-11-03 04:59:33.123456789 +0000`, in UTC; without a fraction where the file system or the program keeps none. */
function parseTime(text: string): number {
  const [, date, clock, fraction = "0"] = /^(\S+) (\d+:\d+:\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return Date.parse(`${date}T${clock}Z`) + Number(`0.${fraction}`) * 1000;
}
