import type { Backend, DirectoryEntry, FileKind } from "../backend.ts";
import { isToolgateError } from "../errors.ts";
import { resolvedPaths } from "./resolved-paths.ts";

/** How far a scout looks around. */
export interface Bounds {
  readonly directories: number;
  readonly ms: number;
}

/** So many looks are had without a wait where the place allows it; more would keep others waiting. */
const FEW = 64;
const FAR: Bounds = { directories: 20_000, ms: 1_000 };
/** How many questions are put to a place at a time. */
export const AT_ONCE = 32;

/** More than is looked through before a verdict, or something that can't be looked at. */
export class TooFar extends Error {}

/** An entry of a directory with its whole path. */
export interface Found extends DirectoryEntry {
  readonly path: string;
}

/** Looks around at a place before a verdict: a bounded number of directories, for a bounded time. */
export class Scout {
  readonly #backend: Backend;
  readonly #most: number;
  readonly #until: number;
  #seen = 0;

  constructor(backend: Backend, { directories, ms }: Bounds = FAR) {
    this.#backend = backend;
    this.#most = directories;
    this.#until = performance.now() + ms;
  }

  /**
   * What lies right in a directory; nothing when it is none, isn't there or is closed to whoever would run.
   * @throws TooFar
   */
  async entries(folder: string): Promise<readonly Found[]> {
    this.#spend(1);
    const start = folder === "/" ? "" : folder;
    const { glance } = this.#backend;
    try {
      const entries =
        glance !== undefined && this.#seen <= FEW ? glance.list(folder) : await this.#backend.list(folder);
      return entries.map((entry) => ({ ...entry, path: `${start}/${entry.name}` }));
    } catch (error) {
      if (isNothing(error)) return [];
      throw new TooFar();
    }
  }

  /**
   * Goes through a directory and those that `take` sends it into, many at a time.
   * @throws TooFar
   */
  async walk(root: string, take: (entries: readonly Found[]) => Promise<readonly string[]>): Promise<void> {
    for (let open = [root]; open.length > 0; ) {
      const folders = open.slice(0, AT_ONCE);
      const lists = await Promise.all(folders.map((folder) => this.entries(folder)));
      open = [...open.slice(AT_ONCE), ...(await take(lists.flat()))];
    }
  }

  /**
   * What each path names, itself or what it leads to; `undefined` where there is nothing.
   * @throws TooFar
   */
  async kinds(paths: readonly string[], look: "lstat" | "stat"): Promise<readonly (FileKind | undefined)[]> {
    const found: (FileKind | undefined)[] = [];
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      const some = paths.slice(at, at + AT_ONCE);
      this.#spend(some.length);
      found.push(...(await Promise.all(some.map((path) => this.#kind(path, look)))));
    }
    return found;
  }

  /**
   * Where each path leads; `undefined` where that can't be told.
   * @throws TooFar
   */
  async real(paths: readonly string[]): Promise<readonly (string | undefined)[]> {
    this.#spend(0);
    if (this.#backend.resolveAll === undefined) return Promise.all(paths.map((path) => this.#realPath(path)));
    const resolved = await resolvedPaths(paths, this.#backend);
    return paths.map((path) => resolved.get(path)?.realPath);
  }

  #spend(directories: number): void {
    this.#seen += directories;
    if (this.#seen > this.#most || performance.now() > this.#until) throw new TooFar();
  }

  async #kind(path: string, look: "lstat" | "stat"): Promise<FileKind | undefined> {
    const { glance } = this.#backend;
    try {
      if (glance !== undefined && this.#seen <= FEW) return glance.kind(path, look);
      return (await this.#backend[look](path)).kind;
    } catch (error) {
      if (isNothing(error)) return undefined;
      throw new TooFar();
    }
  }

  async #realPath(path: string): Promise<string | undefined> {
    try {
      return await this.#backend.realpath(path);
    } catch {
      return undefined;
    }
  }
}

function isNothing(error: unknown): boolean {
  return (
    isToolgateError(error, "not_found") ||
    isToolgateError(error, "not_a_directory") ||
    isToolgateError(error, "permission_denied")
  );
}
