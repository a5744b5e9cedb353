/** What every entry of a tree has. */
interface EntryBase {
  /** Below the tree's root, with `/`; as its source spells it until the guard has looked at it. */
  readonly path: string;
  /** Permission bits; others are never carried over. */
  readonly mode: number;
}

/** A file, whose bytes are read once, before the next entry is asked for. */
export interface TreeFile extends EntryBase {
  readonly kind: "file";
  /** Bytes; the content has exactly so many, or reading it fails. */
  readonly size: number;
  /** Pieces are only valid until the next is asked for. */
  content(): AsyncIterable<Uint8Array>;
}

/** A directory. One that holds something needn't be named. */
export interface TreeDirectory extends EntryBase {
  readonly kind: "directory";
}

/** A symbolic link; where it leads is text, and nobody follows it. */
export interface TreeSymlink extends EntryBase {
  readonly kind: "symlink";
  readonly target: string;
}

/** Another name for a file that came before. */
export interface TreeHardLink extends EntryBase {
  readonly kind: "hardlink";
  /** Below the tree's root. */
  readonly target: string;
}

/** A device, a pipe, a socket. */
export interface TreeOther extends EntryBase {
  readonly kind: "other";
}

/** One thing in a tree of files, whatever it comes from. */
export type TreeEntry = TreeFile | TreeDirectory | TreeSymlink | TreeHardLink | TreeOther;

/** Entries in the order they are written. */
export type Tree = AsyncIterable<TreeEntry>;

/** Permission bits that a tree keeps: no set-user-id, no set-group-id, no sticky bit. */
export const MODE_BITS = 0o777;
