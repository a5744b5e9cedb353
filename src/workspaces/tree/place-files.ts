import { posix } from "node:path";
import type { Backend, DirectoryEntry } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { MODE_BITS, type Tree, type TreeEntry } from "./entry.ts";

/** A directory as the backend reads it, file by file. Where links lead, a backend doesn't say: they are told of as something else. */
export async function* fileTree(backend: Backend, directory: string, below = ""): Tree {
  const entries = await backend.list(below === "" ? directory : posix.join(directory, below));
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    yield await entryAt(backend, directory, path, entry);
    if (entry.kind === "directory") yield* fileTree(backend, directory, path);
  }
}

async function entryAt(
  backend: Backend,
  directory: string,
  path: string,
  { kind }: DirectoryEntry,
): Promise<TreeEntry> {
  const full = posix.join(directory, path);
  const { size, mode: all } = await backend.lstat(full);
  const mode = all & MODE_BITS;
  if (kind === "file") return { path, kind, mode, size, content: () => backend.readStream(full) };
  return kind === "directory" ? { path, kind, mode } : { path, kind: "other", mode };
}

/**
 * Writes a tree file by file. Modes of directories are the place's own.
 * @throws ToolgateError `unsupported` for a link, which a backend can't make
 */
export async function writeFileTree(backend: Backend, directory: string, tree: Tree): Promise<void> {
  for await (const entry of tree) {
    const full = posix.join(directory, entry.path);
    if (entry.kind === "directory") await backend.mkdir(full);
    else if (entry.kind === "file")
      await backend.writeFile(full, entry.content(), {
        parents: true,
        mode: entry.mode,
        ifVersion: "absent",
      });
    else if (entry.kind === "hardlink")
      await backend.writeFile(full, backend.readStream(posix.join(directory, entry.target)), {
        parents: true,
      });
    else {
      throw new ToolgateError(
        "unsupported",
        `${entry.path} is a link, and there is no tar in the place to make one.`,
        {
          hint: "Install tar there, or leave the link out.",
        },
      );
    }
  }
}
