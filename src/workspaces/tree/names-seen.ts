import { ToolgateError } from "../../errors.ts";
import type { TreeEntry } from "./entry.ts";

interface Seen {
  readonly path: string;
  readonly kind: TreeEntry["kind"];
}

/** The names of a tree that came so far: each once, and nothing below what is no directory. */
export class NamesSeen {
  readonly #what: string;
  readonly #foldsCase: boolean;
  readonly #seen = new Map<string, Seen>();

  constructor({ what, foldsCase }: { readonly what: string; readonly foldsCase: boolean }) {
    this.#what = what;
    this.#foldsCase = foldsCase;
  }

  /** Whether a file of that name has come. */
  isFile(path: string): boolean {
    return this.#seen.get(this.#key(path))?.kind === "file";
  }

  /** @throws ToolgateError `invalid_input` */
  add({ path, kind }: TreeEntry): void {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      this.#take({ path: path.slice(0, at), kind: "directory" }, path);
    }
    this.#take({ path, kind }, path);
  }

  #take(entry: Seen, at: string): void {
    const key = this.#key(entry.path);
    const known = this.#seen.get(key);
    if (known === undefined) {
      this.#seen.set(key, entry);
      return;
    }
    if (known.path !== entry.path) {
      throw this.#wrong(`${JSON.stringify(known.path)} and ${JSON.stringify(entry.path)} are one name`, at);
    }
    // A directory may be named again, by what is in it; anything else comes once.
    if (known.kind === "directory" && entry.kind === "directory") return;
    const why =
      entry.kind === "directory"
        ? `goes through ${JSON.stringify(known.path)}, which is no directory`
        : "comes twice";
    throw this.#wrong(why, at);
  }

  #wrong(why: string, at: string): ToolgateError {
    return new ToolgateError("invalid_input", `In ${this.#what}, ${JSON.stringify(at)} ${why}.`);
  }

  #key(path: string): string {
    return this.#foldsCase ? path.normalize("NFC").toLowerCase().normalize("NFC") : path;
  }
}
