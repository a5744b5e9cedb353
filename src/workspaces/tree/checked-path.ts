import { ToolgateError } from "../../errors.ts";

const MOST_CHARS = 1024;
const MOST_DEPTH = 64;

/**
 * A path below a tree's root as it is written: without `./` and a trailing slash; empty for the root itself.
 * @throws ToolgateError `invalid_input` for one that leads elsewhere, or that not every system can have when it should be portable
 */
export function checkedPath(
  path: string,
  { what, portable = false }: { readonly what: string; readonly portable?: boolean },
): string {
  const wrong = (why: string): ToolgateError =>
    new ToolgateError("invalid_input", `In ${what}, the name ${shown(path)} ${why}.`);
  if (path.includes("\0")) throw wrong("has a NUL character in it");
  if (path.startsWith("/")) throw wrong("is absolute");
  if (portable && /^[a-z]:|\\/i.test(path)) throw wrong("is one of another system");
  if (portable && /[\u0001-\u001F\u007F]/.test(path)) throw wrong("has a control character in it");
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw wrong("leads out of the tree");
  const plain = parts.join("/");
  if (plain.length > MOST_CHARS || parts.length > MOST_DEPTH) throw wrong("is too long");
  return plain;
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}
