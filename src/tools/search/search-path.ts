import type { Backend, FileKind } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { ToolInput } from "../../tool.ts";
import type { ToolBaseOptions } from "../../tool-base.ts";
import { filePath, pathsOf } from "../file/path.ts";

/** What Glob and Grep take. */
export interface SearchOptions extends ToolBaseOptions {
  /** How long one search may take before it answers with what it has. @default 20 000 */
  readonly budgetMs?: number;
}

/** The absolute path that `path` names, the working directory when it is left out. @throws ToolgateError `invalid_input` */
export function searchPath(input: ToolInput, cwd: string, backend: Backend): string {
  const { path } = input;
  if (path === undefined || path === null || path === "") return cwd;
  if (typeof path === "string" && path.includes("\0")) {
    throw new ToolgateError("invalid_input", "path holds a NUL character.");
  }
  return filePath({ file_path: path }, cwd, backend);
}

/** Where a search starts: a directory, or a file in its directory. */
export interface SearchRoot {
  readonly path: string;
  /** Where the program runs and where its patterns start. */
  readonly cwd: string;
  readonly isDirectory: boolean;
  /** The root as seen from `cwd`. Given to the program instead of `path`, since its patterns start at the real `cwd`. */
  readonly operand: string;
}

/** An absolute path for what a program that got a root's operand says about it. */
export function absolutePath(root: SearchRoot, relative: string): string {
  const below = relative.startsWith("./") ? relative.slice(2) : relative;
  return root.cwd.endsWith("/") ? root.cwd + below : `${root.cwd}/${below}`;
}

/** @throws ToolgateError `not_found`, `not_a_file`, `permission_denied` */
export async function searchRoot(backend: Backend, path: string): Promise<SearchRoot> {
  const kind = await kindOf(backend, path);
  if (kind === "directory") return { path, cwd: path, isDirectory: true, operand: "./" };
  if (kind !== "file") {
    throw new ToolgateError("not_a_file", `${path} is a device, pipe or socket, which isn't searched.`);
  }
  const paths = pathsOf(backend.flavour);
  return { path, cwd: paths.dirname(path), isDirectory: false, operand: `./${paths.basename(path)}` };
}

async function kindOf(backend: Backend, path: string): Promise<FileKind> {
  try {
    // Where that starts no program; what it can't tell, the other says why.
    const [resolved] = (await backend.resolveAll?.([path])) ?? [];
    return resolved?.kind ?? (await backend.stat(path)).kind;
  } catch (error) {
    if (!isToolgateError(error, "not_found")) throw error;
    throw new ToolgateError("not_found", `${path} doesn't exist.`, {
      hint: "Give an existing file or directory, or leave path out to search the working directory.",
      cause: error,
    });
  }
}
