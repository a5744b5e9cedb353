import { ToolgateError } from "../../errors.ts";
import { type MemoryDirectory, type MemoryNode, type MemoryTree, missing } from "./tree.ts";

/** Gives a node another name, with the refusals a real file system has. */
export function moveNode(tree: MemoryTree, from: string, to: string): void {
  const source = tree.find(from, false);
  if (source.node === undefined) throw missing(from);
  const target = tree.find(to, false);
  if (target.parent === undefined) throw missing(to);
  if (target.node === source.node) return;
  if (source.node.kind === "directory" && isInside(source.node, target.parent)) {
    throw new ToolgateError("invalid_input", `Can't move a directory into itself: ${to}`);
  }
  if (target.node?.kind === "directory" && source.node.kind !== "directory") {
    throw new ToolgateError("not_a_file", `Is a directory: ${to}`);
  }
  if (source.node.kind === "directory" && target.node !== undefined && target.node.kind !== "directory") {
    throw new ToolgateError("not_a_directory", `Not a directory: ${to}`);
  }
  if (target.node?.kind === "directory" && target.node.entries.size > 0) {
    throw new ToolgateError("already_exists", `Directory not empty: ${to}`);
  }
  tree.drop(source);
  tree.put(target, source.node);
}

/** Removes a file, a link or, if so asked, a tree. */
export function removeNode(tree: MemoryTree, path: string, recursive: boolean): void {
  const place = tree.find(path, false);
  if (place.node === undefined) throw missing(path);
  if (place.parent === undefined) throw new ToolgateError("invalid_input", `Can't remove a root: ${path}`);
  if (place.node.kind === "directory" && !recursive) {
    throw new ToolgateError("not_a_file", `Is a directory: ${path}`, {
      hint: "Removing a directory with all it holds takes `recursive`.",
    });
  }
  tree.drop(place);
}

/** Whether a node is the directory itself or somewhere below it. */
function isInside(directory: MemoryDirectory, node: MemoryNode): boolean {
  if (directory === node) return true;
  return [...directory.entries.values()].some(
    ({ node: child }) => child.kind === "directory" && isInside(child, node),
  );
}
