import { posix, win32 } from "node:path";
import type { DirectoryEntry, FileStat, PathFlavour } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";

/** A file, directory or link in memory. */
export type MemoryNode = MemoryFile | MemoryDirectory | MemoryLink;

interface Common {
  mode: number;
  mtimeMs: number;
  /** Counts up with every change, over the whole tree: never the same twice. */
  version: number;
}

/** A file in memory. Its bytes are replaced, never changed in place. */
export interface MemoryFile extends Common {
  readonly kind: "file";
  data: Uint8Array;
}

/** A directory in memory. */
export interface MemoryDirectory extends Common {
  readonly kind: "directory";
  /** By folded name. */
  readonly entries: Map<string, { readonly name: string; readonly node: MemoryNode }>;
}

interface MemoryLink extends Common {
  readonly kind: "symlink";
  readonly target: string;
}

/** Where a path leads: its real spelling, and what is there, if anything. */
export interface Place {
  readonly path: string;
  readonly name: string;
  /** The directory it is in; missing when that doesn't exist, and for a root. */
  readonly parent: MemoryDirectory | undefined;
  readonly node: MemoryNode | undefined;
}

/** How names are spelled and compared. */
export interface TreeOptions {
  readonly flavour: PathFlavour;
  readonly foldsCase: boolean;
}

interface Start {
  readonly directory: MemoryDirectory | undefined;
  readonly real: string;
  readonly rest: string[];
}

const MAX_LINKS = 40;

/** A tree of files with links, modes and versions. All of it is synchronous. */
export class MemoryTree {
  readonly #paths: typeof posix;
  readonly #foldsCase: boolean;
  readonly #roots = new Map<string, MemoryDirectory>();
  #changes = 0;

  constructor(options: TreeOptions) {
    this.#paths = options.flavour === "win32" ? win32 : posix;
    this.#foldsCase = options.foldsCase;
  }

  /** Follows a path, all links in it but, unless so asked, the last. Components after a missing one are kept. */
  find(path: string, followLast = true): Place {
    let { directory, real, rest } = this.#start(path);
    let place = rootPlace(real, directory);
    let links = 0;
    while (rest.length > 0) {
      const [name = "", ...after] = rest;
      rest = after;
      if (name === "" || name === ".") continue;
      if (name === "..") {
        place = this.find(this.#paths.dirname(real), false);
        ({ path: real } = place);
        directory = asDirectory(place.node);
        continue;
      }
      const entry = directory?.entries.get(this.#fold(name));
      const follow = followLast || rest.some((part) => part !== "");
      if (entry?.node.kind === "symlink" && follow) {
        links += 1;
        if (links > MAX_LINKS) {
          throw new ToolgateError("invalid_input", `Too many levels of symbolic links: ${path}`);
        }
        const target = this.#target(entry.node.target, real, directory);
        ({ directory, real } = target);
        place = rootPlace(real, directory);
        rest = [...target.rest, ...rest];
        continue;
      }
      real = this.#paths.join(real, entry?.name ?? name);
      place = { path: real, name: entry?.name ?? name, parent: directory, node: entry?.node };
      directory = asDirectory(entry?.node);
    }
    return place;
  }

  /** What is there. @throws ToolgateError `not_found` */
  get(path: string, followLast = true): MemoryNode {
    const { node } = this.find(path, followLast);
    if (node === undefined) throw missing(path);
    return node;
  }

  /** Puts a node at a place whose directory exists. */
  put(place: Place, node: MemoryNode): void {
    if (place.parent === undefined) throw missing(place.path);
    place.parent.entries.set(this.#fold(place.name), { name: place.name, node });
    this.#touch(place.parent);
  }

  /** Takes away what is at a place. */
  drop(place: Place): void {
    place.parent?.entries.delete(this.#fold(place.name));
    if (place.parent !== undefined) this.#touch(place.parent);
  }

  /** Makes a directory and its parents. @throws ToolgateError `not_a_directory` */
  makeDirectory(path: string): void {
    const { node, path: real } = this.find(path);
    if (node?.kind === "directory") return;
    if (node !== undefined) throw new ToolgateError("not_a_directory", `Not a directory: ${path}`);
    this.makeDirectory(this.#paths.dirname(real));
    this.put(this.find(real, false), this.#directory());
  }

  file(data: Uint8Array, mode: number): MemoryFile {
    return { kind: "file", data, ...this.#fresh(mode) };
  }

  link(target: string): MemoryLink {
    return { kind: "symlink", target, ...this.#fresh(0o777) };
  }

  /** Gives a file other bytes. */
  refill(file: MemoryFile, data: Uint8Array): void {
    file.data = data;
    this.#touch(file);
  }

  #directory(): MemoryDirectory {
    return { kind: "directory", entries: new Map(), ...this.#fresh(0o755) };
  }

  #fresh(mode: number): Common {
    this.#changes += 1;
    return { mode, mtimeMs: Date.now(), version: this.#changes };
  }

  #touch(node: MemoryNode): void {
    Object.assign(node, this.#fresh(node.mode));
  }

  /** Where a link leads from the directory it is in. */
  #target(target: string, real: string, directory: MemoryDirectory | undefined): Start {
    if (this.#paths.isAbsolute(target)) return this.#start(target);
    return { directory, real, rest: this.#split(target) };
  }

  #start(path: string): Start {
    if (!this.#paths.isAbsolute(path) || path.includes("\0")) {
      throw new ToolgateError("invalid_input", `Not an absolute path: ${path}`);
    }
    const { root } = this.#paths.parse(path);
    const real = this.#paths.normalize(root);
    const key = real.toLowerCase();
    const directory = this.#roots.get(key) ?? this.#directory();
    this.#roots.set(key, directory);
    return { directory, real, rest: this.#split(path.slice(root.length)) };
  }

  #split(path: string): string[] {
    return path.split(this.#paths === win32 ? /[\\/]/ : "/");
  }

  #fold(name: string): string {
    return this.#foldsCase ? name.normalize("NFC").toLowerCase() : name;
  }
}

/** What is known of a node. */
export function describeNode(node: MemoryNode): FileStat {
  const { kind, mode, mtimeMs } = node;
  const size = node.kind === "file" ? node.data.length : 0;
  return { kind, size, mtimeMs, mode, links: 1, version: String(node.version) };
}

/** The entries of a directory. */
export function entriesOf(node: MemoryDirectory): readonly DirectoryEntry[] {
  return [...node.entries.values()].map(({ name, node: child }) => ({ name, kind: child.kind }));
}

/** The error for a path that isn't there. */
export function missing(path: string): ToolgateError {
  return new ToolgateError("not_found", `No such file or directory: ${path}`);
}

function rootPlace(path: string, node: MemoryDirectory | undefined): Place {
  return { path, name: "", parent: undefined, node };
}

function asDirectory(node: MemoryNode | undefined): MemoryDirectory | undefined {
  return node?.kind === "directory" ? node : undefined;
}
