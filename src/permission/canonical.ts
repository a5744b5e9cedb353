import type { Backend } from "../backend.ts";

/** What it takes to bring a path into the one form that is compared. */
export type PathWorld = Pick<Backend, "flavour" | "foldsCase">;

const NOT_ASCII = /[^\0-\x7f]/;
const UNTIDY = /\/\/|\/\.{1,2}(?:\/|$)|.\/$/;

/**
 * The form in which paths and path rules are compared: absolute, forward slashes, `.` and `..` collapsed, no trailing slash,
 * Unicode NFC, lower case where the file system folds case, the process' own views of `/proc` taken back to what they show.
 * The path must be absolute.
 */
export function canonicalPath(path: string, world: PathWorld, cwd: string): string {
  let text = world.flavour === "win32" ? fromWindows(path) : path;
  if (text.includes("/proc/")) text = throughProc(text, cwd, true);
  if (UNTIDY.test(text)) text = tidy(text);
  return foldName(text, world);
}

/** Folds case and Unicode form as the file system does; NFC everywhere, since two forms of one name are no two secrets. */
export function foldName(name: string, world: PathWorld): string {
  const composed = NOT_ASCII.test(name) ? name.normalize("NFC") : name;
  return world.foldsCase || world.flavour === "win32" ? composed.toLowerCase() : composed;
}

/** True when `path` is `folder` or lies below it. Both canonical. */
export function isWithin(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false;
  return path.length === folder.length || folder.endsWith("/") || path.charCodeAt(folder.length) === 47;
}

/** The directory part of a canonical path; the root's is the root. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf("/");
  if (at > 0) return path.slice(0, at);
  return at === 0 ? "/" : path;
}

/** The last component of a canonical path. */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Drive paths become `c:/x`; device prefixes, streams, trailing dots and blanks go, as Windows ignores them. */
function fromWindows(path: string): string {
  const slashed = path
    .replaceAll("\\", "/")
    .replace(/^\/\/[?.]\/(?:UNC\/)?/i, "")
    .replace(/^\/([a-z])(?=\/|$)/i, "$1:");
  const parts = slashed.split("/").map((part, index) => {
    if (index === 0 || part === "." || part === "..") return part;
    return part.replace(/:.*$/, "").replace(/[. ]+$/, "");
  });
  return parts.join("/");
}

function tidy(path: string): string {
  const kept: string[] = [];
  const [first = "", ...rest] = path.split("/");
  for (const part of rest) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `${first}/${kept.join("/")}`;
}

const OWN_VIEW = /^(.*)\/proc\/(?:self|thread-self)(?:\/task\/\d+)?\/(root|cwd)(?=\/|$)/;
const ANY_VIEW = /^(.*)\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(root|cwd)(?=\/|$)/;

/**
 * `/proc/self/root/etc` is `/etc`, `/proc/self/cwd/.env` is the command's own `.env`: links that the judge would follow to places of its own.
 * With `anyProcess` those of other processes count alike. Everything behind stays as it is written.
 */
export function throughProc(path: string, cwd: string, anyProcess: boolean): string {
  const plain = path.replace(/\/(?:\.?\/)+/g, "/");
  const match = (anyProcess ? ANY_VIEW : OWN_VIEW).exec(plain);
  if (match === null) return path;
  const [whole, before = "", view] = match;
  if (before !== "" && tidy(throughProc(before, cwd, anyProcess)) !== "/") return path;
  const rest = plain.slice(whole.length);
  if (view === "cwd") return cwd + rest;
  return rest === "" ? "/" : rest;
}
