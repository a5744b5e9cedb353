import type { Backend, DirectoryEntry, FileKind } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import { pathsOf } from "../file/path.ts";
import { Budget, kernelDirectories, VCS_DIRECTORIES } from "../search/ripgrep.ts";

/** Directories that are listed at the same time. */
const AT_ONCE = 16;

/** One thing that a walk came by. */
export interface Found {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly kind: FileKind;
}

/** Where a walk goes. */
export interface WalkOptions {
  readonly backend: Backend;
  /** A directory. Absolute. */
  readonly root: string;
  /** How many directories deep; 0 stays in the root. */
  readonly maxDepth: number;
  /** Ends the walk where it is. */
  readonly signal: AbortSignal;
}

interface Directory {
  readonly path: string;
  readonly depth: number;
}

/**
 * Goes through what lies below a directory, nearest first, by name. Follows no link, enters no directory of version control, no
 * `node_modules` and no file system of the kernel's unless it begins there, and keeps what it left out, so that it can be told.
 */
class Walk {
  readonly #options: WalkOptions;
  readonly #leftOut = new Set<string>();
  readonly #unread: string[] = [];
  readonly #kernel: ReadonlySet<string>;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#kernel = new Set(kernelDirectories({ path: options.root }));
  }

  /** Names of directories that were met and not entered. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut];
  }

  /** Directories that could not be read. */
  get unread(): readonly string[] {
    return this.#unread;
  }

  /** @throws ToolgateError when the root itself can't be read */
  async *entries(): AsyncGenerator<Found, void, undefined> {
    const { root, signal } = this.#options;
    let waiting: readonly Directory[] = [{ path: root, depth: 0 }];
    while (waiting.length > 0 && !signal.aborted) {
      const listed = await Promise.all(waiting.slice(0, AT_ONCE).map((each) => this.#list(each)));
      const further: Directory[] = [];
      for (const { directory, entries } of listed) {
        yield* entries;
        further.push(...this.#below(directory, entries));
      }
      waiting = [...waiting.slice(AT_ONCE), ...further];
    }
  }

  #below({ depth }: Directory, entries: readonly Found[]): readonly Directory[] {
    if (depth >= this.#options.maxDepth) return [];
    const directories = entries.filter(({ kind }) => kind === "directory");
    const entered = directories.filter((each) => !this.#isLeftOut(each));
    for (const each of directories) if (!entered.includes(each)) this.#leftOut.add(each.name);
    return entered.map(({ path }) => ({ path, depth: depth + 1 }));
  }

  #isLeftOut({ name, path }: Found): boolean {
    return name === "node_modules" || VCS_DIRECTORIES.some((each) => each === name) || this.#kernel.has(path);
  }

  async #list(
    directory: Directory,
  ): Promise<{ readonly directory: Directory; readonly entries: readonly Found[] }> {
    const { backend } = this.#options;
    const paths = pathsOf(backend.flavour);
    const entries = await this.#read(directory);
    const found = [...entries].sort(byName).map(({ name, kind }) => {
      return { path: paths.join(directory.path, name), name, kind };
    });
    return { directory, entries: found };
  }

  async #read({ path, depth }: Directory): Promise<readonly DirectoryEntry[]> {
    try {
      return await this.#options.backend.list(path);
    } catch (error) {
      // A root that can't be read is no empty one. Below, what came and went meanwhile isn't there.
      if (depth === 0 || !isToolgateError(error)) throw error;
      if (error.code !== "not_found") this.#unread.push(path);
      return [];
    }
  }
}

function byName(a: DirectoryEntry, b: DirectoryEntry): number {
  return a.name < b.name ? -1 : 1;
}

/** What a walk brought. */
export interface Gathered {
  readonly found: readonly Found[];
  /** There is more than was asked for. */
  readonly isMore: boolean;
  /** Everything there is was looked at. */
  readonly complete: boolean;
  /** What a reader has to know about it. */
  readonly notes: readonly string[];
}

/** Walks until there are `most` that are wanted, or time is up. */
export async function gather(
  options: WalkOptions,
  {
    most,
    budgetMs,
    wanted,
  }: { readonly most: number; readonly budgetMs: number; wanted(found: Found): boolean },
): Promise<Gathered> {
  const budget = new Budget(options.signal, budgetMs);
  const walk = new Walk({ ...options, signal: budget.signal });
  const found: Found[] = [];
  let isMore = false;
  try {
    for await (const entry of walk.entries()) {
      if (!wanted(entry)) continue;
      isMore = found.length === most;
      if (isMore) break;
      found.push(entry);
    }
  } finally {
    budget.end();
  }
  const complete = !isMore && !budget.spent && walk.unread.length === 0;
  return { found, isMore, complete, notes: walkNotes(walk, budget.spent) };
}

/** @throws ToolgateError `not_a_directory` */
export function directoryOnly(path: string, isDirectory: boolean): void {
  if (!isDirectory) throw new ToolgateError("not_a_directory", `${path} is a file, not a directory.`);
}

/** What is said of a walk that didn't see everything. */
function walkNotes(walk: Walk, outOfTime: boolean): readonly string[] {
  const notes: string[] = [];
  const [first, ...others] = walk.unread;
  if (outOfTime) notes.push("Time ran out: not everything was looked at. Give a narrower path.");
  if (first !== undefined)
    notes.push(`Could not be read: ${first}${others.length === 0 ? "" : ` and ${others.length} more`}.`);
  if (walk.leftOut.length > 0)
    notes.push(`Not looked into, unless path names them: ${walk.leftOut.join(", ")}.`);
  return notes;
}

/** A name on one line, whatever is in it. */
export function oneLine(name: string): string {
  return name.replaceAll("\n", "\\n");
}
