import { ToolgateError } from "../../errors.ts";
import { checkedPath } from "./checked-path.ts";
import type { Tree, TreeEntry, TreeFile } from "./entry.ts";
import { leadsOutside } from "./leads-outside.ts";
import { NamesSeen } from "./names-seen.ts";

/** How much a tree may be. */
export interface TreeLimits {
  /** Bytes of all files together. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}

/** How far a copy is. */
export interface TreeProgress {
  /** Files, directories and links that are there. */
  readonly entries: number;
  /** Bytes of files that are there. */
  readonly bytes: number;
  /** The entry that is being copied. */
  readonly path: string;
}

/** What a guard lets through. */
export interface GuardOptions extends TreeLimits {
  /** What is in the tree, for messages: `the archive x.zip`. */
  readonly what: string;
  /**
   * `refuse`: nothing but files and directories. `inside`: links are kept where they lead nowhere else, and left out otherwise.
   * `keep`: links are kept as they are; nobody follows them.
   */
  readonly links: "refuse" | "inside" | "keep";
  /** Refuses names that are one on a file system which folds case or Unicode forms. */
  readonly foldsCase: boolean;
  /** Refuses names that not every system can have: it came from somewhere else. @default false */
  readonly portable?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TreeProgress) => void) | undefined;
  /** Takes what is left out, and why. */
  readonly onSkipped?: (path: string, why: string) => void;
}

/**
 * Lets a tree through, entry by entry, while it is what it says to be: names stay below the root, each comes once, nothing goes through a
 * link, and the limits hold while the bytes come. What comes out can be written as it stands.
 * @throws ToolgateError `invalid_input` for a tree that is made to do harm, `too_large`, `aborted`
 */
export async function* guard(tree: Tree, options: GuardOptions): AsyncGenerator<TreeEntry> {
  const names = new NamesSeen(options);
  const count = new Count(options);
  for await (const given of tree) {
    options.signal?.throwIfAborted();
    const path = checkedPath(given.path, options);
    // The root itself.
    if (path === "") continue;
    const entry = settled({ ...given, path }, names, options);
    if (entry === undefined) continue;
    names.add(entry);
    count.entry(path);
    yield entry.kind === "file" ? count.file(entry) : entry;
    count.tell(path);
  }
}

/** The entry as it is written, `undefined` for one that is left out. */
function settled(entry: TreeEntry, names: NamesSeen, options: GuardOptions): TreeEntry | undefined {
  const { links, what } = options;
  const skip = (why: string): undefined => {
    if (links === "refuse") {
      throw new ToolgateError("invalid_input", `In ${what}, ${JSON.stringify(entry.path)} ${why}.`, {
        hint: "Only plain files and directories are taken.",
      });
    }
    options.onSkipped?.(entry.path, why);
  };
  switch (entry.kind) {
    case "file":
    case "directory":
      return entry;
    case "symlink":
      if (links === "refuse") return skip("is a symbolic link");
      return links === "inside" && leadsOutside(entry) ? skip(`leads outside, to ${entry.target}`) : entry;
    case "hardlink": {
      if (links === "refuse") return skip("is a hard link");
      const target = checkedPath(entry.target, options);
      return names.isFile(target) ? { ...entry, target } : skip("is a hard link to no file of the tree");
    }
    default:
      return skip("is neither a file nor a directory");
  }
}

/** Counts what comes, and stops it when it is too much. */
class Count {
  readonly #options: GuardOptions;
  #entries = 0;
  #bytes = 0;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  entry(path: string): void {
    const { maxEntries } = this.#options;
    this.#entries += 1;
    if (this.#entries > maxEntries) throw this.#tooLarge(`more than ${maxEntries} entries`, path);
  }

  file(file: TreeFile): TreeFile {
    // Before anything of it is written; what it says of itself may be a lie, so that the bytes are counted too.
    this.#check(file.path, file.size);
    return { ...file, content: () => this.#counted(file) };
  }

  tell(path: string): void {
    this.#options.onProgress?.({ entries: this.#entries, bytes: this.#bytes, path });
  }

  async *#counted(file: TreeFile): AsyncGenerator<Uint8Array> {
    const { signal } = this.#options;
    let size = 0;
    for await (const piece of file.content()) {
      signal?.throwIfAborted();
      size += piece.length;
      if (size > file.size) break;
      this.#check(file.path, piece.length);
      this.#bytes += piece.length;
      this.tell(file.path);
      yield piece;
    }
    if (size === file.size) return;
    const said = `${file.size} bytes were announced`;
    const found = size > file.size ? "there are more" : `there are ${size}`;
    throw new ToolgateError("stale", `${JSON.stringify(file.path)} is not what it was: ${said}, ${found}.`);
  }

  #check(path: string, more: number): void {
    const { maxBytes } = this.#options;
    if (this.#bytes + more > maxBytes) throw this.#tooLarge(`more than ${maxBytes} bytes`, path);
  }

  #tooLarge(what: string, path: string): ToolgateError {
    return new ToolgateError("too_large", `${this.#options.what} holds ${what}, at ${JSON.stringify(path)}.`);
  }
}
