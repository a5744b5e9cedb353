import { posix, win32 } from "node:path";
import type { Backend, FileStat, PathFlavour } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import { nearestNames } from "../../lib/nearest.ts";
import type { ToolInput } from "../../tool.ts";

/** The path operations of a backend, not of the host. */
export function pathsOf(flavour: PathFlavour): typeof posix {
  return flavour === "win32" ? win32 : posix;
}

/**
 * The absolute path that a tool's `file_path` names: `~` and relative paths resolved, `.` and `..` taken out by their letters.
 * Judging and running both call this with the same cwd, so that both mean the same file.
 * @throws ToolgateError `invalid_input`
 */
export function filePath(input: ToolInput, cwd: string, backend: Backend): string {
  const given = input.file_path;
  if (typeof given !== "string" || given === "") {
    throw new ToolgateError("invalid_input", "file_path must be a path, and it is empty or not a string.");
  }
  if (given.includes("\0")) throw new ToolgateError("invalid_input", "file_path holds a NUL character.");
  // It would become another name on the way to the file system than the one that was judged.
  if (!given.isWellFormed()) {
    throw new ToolgateError(
      "invalid_input",
      "file_path holds half a surrogate pair, which no file's name can.",
    );
  }
  const paths = pathsOf(backend.flavour);
  if (given === "~") return backend.home;
  if (given.startsWith("~/")) return paths.join(backend.home, given.slice(2));
  return dropSlash(paths, paths.isAbsolute(given) ? paths.normalize(given) : paths.join(cwd, given));
}

/**
 * {@link filePath} of a file that may be made: a path that ends in a slash names a directory, and no file is made of it.
 * @throws ToolgateError `invalid_input`
 */
export function filePathToWrite(input: ToolInput, cwd: string, backend: Backend): string {
  const path = filePath(input, cwd, backend);
  const { sep } = pathsOf(backend.flavour);
  const given = String(input.file_path);
  if (given.endsWith("/") || given.endsWith(sep)) {
    const named = path.endsWith(sep) ? path : path + sep;
    throw new ToolgateError("invalid_input", `${named} names a directory; file_path must name a file.`);
  }
  return path;
}

function dropSlash(paths: typeof posix, path: string): string {
  const root = paths.parse(path).root;
  return path.length > root.length && path.endsWith(paths.sep) ? path.slice(0, -1) : path;
}

/** {@link filePath}, or `undefined` for an input that `call` is going to refuse anyway. */
export function statedPath(input: ToolInput, cwd: string, backend: Backend): string | undefined {
  try {
    return filePath(input, cwd, backend);
  } catch (error) {
    if (isToolgateError(error, "invalid_input")) return undefined;
    throw error;
  }
}

/** An existing file: where it is, and whether its name differs from the asked one in Unicode form. */
export interface Located {
  readonly path: string;
  readonly stat: FileStat;
  /** Set when the exact name doesn't exist and this is the only one that looks the same. */
  readonly insteadOf?: string;
}

/** The state of a path, or `undefined` where there is nothing. */
export async function statIfThere(backend: Backend, path: string): Promise<FileStat | undefined> {
  try {
    return await backend.stat(path);
  } catch (error) {
    if (isToolgateError(error, "not_found")) return undefined;
    throw error;
  }
}

/**
 * Finds a file by its exact path, else by the only name that reads the same: macOS writes names in decomposed form and
 * puts narrow blanks into them, which a model can't see.
 * @throws ToolgateError `not_found` with the nearest names, `ambiguous_match`
 */
export async function locate(backend: Backend, path: string): Promise<Located> {
  const stat = await statIfThere(backend, path);
  if (stat !== undefined) return { path, stat };
  const found = await lookalike(backend, path);
  const foundStat = found === undefined ? undefined : await statIfThere(backend, found);
  if (found === undefined || foundStat === undefined) throw await missing(backend, path);
  return { path: found, stat: foundStat, insteadOf: path };
}

/** A path whose missing components are each replaced by the only one that looks the same. */
async function lookalike(backend: Backend, path: string): Promise<string | undefined> {
  const paths = pathsOf(backend.flavour);
  const parent = paths.dirname(path);
  if (parent === path) return undefined;
  const base = (await statIfThere(backend, parent)) ? parent : await lookalike(backend, parent);
  if (base === undefined) return undefined;
  const wanted = paths.basename(path);
  const names = await namesIn(backend, base);
  if (names.includes(wanted)) return paths.join(base, wanted);
  const same = names.filter((name) => lookOf(name) === lookOf(wanted));
  if (same.length > 1) {
    throw new ToolgateError(
      "ambiguous_match",
      `${path} doesn't exist, and ${same.length} names in ${base} look the same: ${same.map(spelled).join(", ")}.`,
      { hint: "Give one of them exactly." },
    );
  }
  return same[0] === undefined ? undefined : paths.join(base, same[0]);
}

/** What a name looks like: one Unicode form, plain blanks, straight quotes. */
function lookOf(name: string): string {
  return name
    .normalize("NFC")
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ")
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f]/g, '"');
}

/** A name in which what can't be seen or told apart is written as an escape. */
export function spelled(name: string): string {
  const shown = name.replace(
    /[^\x20-\x7e]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return `"${shown}"`;
}

/** The refusal for a path that isn't there, with what is nearest. */
export async function missing(backend: Backend, path: string): Promise<ToolgateError> {
  const paths = pathsOf(backend.flavour);
  const parent = paths.dirname(path);
  if ((await statIfThere(backend, parent)) === undefined) {
    let above = paths.dirname(parent);
    while (above !== paths.dirname(above) && (await statIfThere(backend, above)) === undefined) {
      above = paths.dirname(above);
    }
    return new ToolgateError(
      "not_found",
      `${path} doesn't exist, and neither does its directory ${parent}.`,
      {
        hint: `The nearest directory that exists is ${above}.`,
      },
    );
  }
  const near = nearestNames(paths.basename(path), await namesIn(backend, parent));
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((name) => paths.join(parent, name)).join(" or ")}?`
      : `List ${parent} with Glob to see what is there.`;
  return new ToolgateError("not_found", `${path} doesn't exist.`, { hint });
}

async function namesIn(backend: Backend, path: string): Promise<readonly string[]> {
  try {
    return (await backend.list(path)).map(({ name }) => name);
  } catch (error) {
    if (isToolgateError(error, "permission_denied") || isToolgateError(error, "not_a_directory")) return [];
    throw error;
  }
}
