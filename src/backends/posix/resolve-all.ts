import type { ResolvedPath } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { checked } from "./files.ts";
import type { Place } from "./place.ts";
import { replyError } from "./reply.ts";

const KINDS: ReadonlyMap<string, ResolvedPath["kind"]> = new Map([
  ["f", "file"],
  ["d", "directory"],
  ["o", "other"],
]);
/** As many paths in one request: the shell's lists of words are slow to change when they are long. */
const AT_ONCE = 128;

/** Where paths lead and which files they are; as many requests as it takes, all on their way together. */
export async function resolveAll(place: Place, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
  const known = paths.filter(isPath);
  const parts: Promise<readonly ResolvedPath[]>[] = [];
  for (let at = 0; at < known.length; at += AT_ONCE) parts.push(ask(place, known.slice(at, at + AT_ONCE)));
  const resolved = (await Promise.all(parts)).flat();
  let next = 0;
  return paths.map((path) => (isPath(path) ? resolved[next++] : undefined) ?? {});
}

function isPath(path: string): boolean {
  return path.startsWith("/") && !path.includes("\0");
}

async function ask(place: Place, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
  const base = commonStart(paths);
  const words = [base, ...paths.map((path) => path.slice(base.length))];
  const reply = await place.ask("tg_resolve_all", words, { again: true });
  if (reply.status !== 0) throw replyError(reply, base);
  // A path may hold what is no text; as one that is asked about alone it is read as if it were.
  const fields = reply.output.toString().split("\0");
  const [kinds = "", said = ""] = fields.slice(paths.length);
  if (kinds.length !== paths.length) {
    throw new ToolgateError("backend_unavailable", `The place doesn't say where paths lead: ${base}`);
  }
  const files = paths.filter((_path, index) => kinds[index] === "f");
  const lines = said.split("\n").slice(0, -1);
  // One that has gone in between has no line, and then nobody knows whose the others are.
  const ids =
    lines.length === files.length
      ? lines.map(idOf)
      : await Promise.all(files.map((path) => fileId(place, path)));
  let file = 0;
  return paths.map((_path, index) => {
    const real = fields[index] ?? "";
    const kind = KINDS.get(kinds[index] ?? "");
    const fileId = kind === "file" ? ids[file++] : undefined;
    return {
      ...(real.startsWith("=") ? { realPath: real.slice(1) } : {}),
      ...(kind === undefined ? {} : { kind }),
      ...(fileId === undefined ? {} : { fileId }),
    };
  });
}

/** The id of the file that a path leads to, when it has several names. */
export async function fileId(place: Place, path: string): Promise<string | undefined> {
  const { status, output } = await place.ask("tg_file_id", [checked(path)], { again: true });
  return status === 0 ? idOf(output.toString()) : undefined;
}

/** From how many names a file has, and which file it is. */
function idOf(line: string): string | undefined {
  const [, links, id] = /^(\d+) (\S+)\s*$/.exec(line) ?? [];
  return Number(links) > 1 ? id : undefined;
}

/** The directory that all of them begin with, or the one of them that the others are below; without a slash at its end. */
function commonStart([first = "", ...others]: readonly string[]): string {
  let start = first;
  for (const path of others) {
    while (path !== start && !path.startsWith(`${start}/`)) start = start.slice(0, start.lastIndexOf("/"));
  }
  return start;
}
