import type { MaybePromise } from "./lib/json.ts";

/** How a backend spells paths. */
export type PathFlavour = "posix" | "win32";

/** What kind of thing a path names, itself (`lstat`) or what it points to (`stat`). */
export type FileKind = "file" | "directory" | "symlink" | "other";

/** What a backend knows about a path. */
export interface FileStat {
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, with as much of a fraction as the file system keeps. */
  readonly mtimeMs: number;
  /** Permission bits, `0o755`. */
  readonly mode: number;
  /** Number of hard links, where known. */
  readonly links?: number;
  /**
   * Names this very content as well as the backend can without reading it (size, mtime, inode, ctime).
   * Equal versions mean unchanged; different ones mean "look at the content".
   */
  readonly version: string;
}

/** One entry of a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** Looks at a place without waiting, for verdicts, which many calls wait for. */
export interface Glance {
  /** What a path leads to (`stat`) or itself names (`lstat`); `undefined` when there is nothing, or nothing that may be looked at. */
  kind(path: string, look: "stat" | "lstat"): FileKind | undefined;
  /** As {@link Backend.list}; nothing when it is no directory, isn't there or may not be looked at. */
  list(path: string): readonly DirectoryEntry[];
}

/** Where a path leads, and which file that is. */
export interface ResolvedPath {
  /** As {@link Backend.realpath} says it; left out where that refuses. */
  readonly realPath?: string;
  /** What it leads to; left out where nothing is, or nothing can be seen. */
  readonly kind?: Exclude<FileKind, "symlink">;
  /** As {@link Backend.fileId} says it. */
  readonly fileId?: string;
}

/** What a run may touch. Asked for by the gate; a backend that can't enforce it says so in {@link ExecResult.confined}. */
export interface Confinement {
  /** `"none"`: nothing but a private temporary folder can be written. A list: only below these paths. */
  readonly write: "none" | readonly string[];
  readonly network: boolean;
  /** Files and directories that are shown empty, by their real paths. Only asked of backends that say they can. */
  readonly hide?: readonly string[];
}

/** How to run a program. */
export interface ExecOptions {
  /** Absolute. */
  readonly cwd: string;
  /** Added to the backend's allow-listed environment. `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Bytes for standard input, closed at their end; closed at once when left out. A stream is read while the program runs and
   * no further than it has room: each piece may be changed once the next is asked for. The program's end is its end, whatever
   * there still is; when it fails, the program is stopped and the run rejects with its reason. Only bytes can be counted on to
   * be opened by name (`/dev/stdin`) as well.
   */
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Aborting stops the whole tree: SIGTERM, then SIGKILL after two seconds, escaped descendants included. */
  readonly signal?: AbortSignal;
  /**
   * Takes the output as it comes, in order. A returned promise is waited for before more is read,
   * so memory stays flat. The bytes are only valid until it settles.
   */
  readonly onOutput?: (bytes: Uint8Array, stream: "stdout" | "stderr") => MaybePromise<void>;
  /** Called once with the process id, when the backend has one. */
  readonly onStart?: (pid: number) => void;
  readonly confine?: Confinement;
  /** Identifies the call in the environment of everything it starts (`TOOLGATE_CALL_ID`), so that escaped descendants are found. */
  readonly callId?: string;
}

/** A process that outlived its command on purpose or by refusing to die. */
export interface Survivor {
  readonly pid: number;
  readonly command: string;
}

/** How a program ended. A program's failure is a result, never a rejection. */
export interface ExecResult {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** True when the abort signal stopped it. */
  readonly stopped: boolean;
  /** Whether the asked-for confinement was in force; absent when none was asked for. */
  readonly confined?: { readonly enforced: boolean; readonly why?: string };
  /** Processes of this call that still run: background children it left, or ones that could not be killed. */
  readonly survivors: readonly Survivor[];
}

/** Part of a file. */
export interface ReadFileOptions {
  /** Byte offset, from 0. */
  readonly offset?: number;
  /** Bytes at most; fewer at the end of the file. */
  readonly length?: number;
  /** Where the path led when it was judged; refuses with `stale` when it leads elsewhere by now. */
  readonly realPath?: string;
  readonly signal?: AbortSignal;
}

/** How a file is replaced. */
export interface WriteFileOptions {
  /** Refuses with `stale` when the path's version is no longer this one; `"absent"` refuses when there is anything. */
  readonly ifVersion?: string;
  /** Permission bits for a new file; an existing file keeps its own, and its owner. @default 0o666 less the umask */
  readonly mode?: number;
  /** Where the path led when it was judged; refuses with `stale` when it leads elsewhere by now. */
  readonly realPath?: string;
  /** Makes missing parent directories. @default false */
  readonly parents?: boolean;
  /** Adds to the end of the file, in place, instead of replacing it: for logs that are read while they grow. @default false */
  readonly append?: boolean;
  readonly signal?: AbortSignal;
}

/** What a backend can do, declared so that nobody has to try. */
export interface BackendCapabilities {
  /** Whether {@link ExecOptions.confine} is enforced, and why not; `hides`: {@link Confinement.hide} as well. */
  readonly confine: { readonly available: boolean; readonly why?: string; readonly hides?: boolean };
  /** Whether a run may go on while others start. */
  readonly background: boolean;
  readonly pty: boolean;
  readonly watch: boolean;
}

/**
 * A place where tools act. In bytes and absolute paths of its own flavour; nobody consults the host for a
 * remote one. A missing path rejects with `not_found` in every backend alike, a wrong kind with `not_a_file` or
 * `not_a_directory`, a refused access with `permission_denied`, an aborted wait with `aborted`.
 * `toolgate/testing` holds the contract suite that each implementation passes.
 */
export interface Backend extends AsyncDisposable {
  /** Tells one place from another, in records and approvals: `local`, `docker:3f2a…`. */
  readonly id: string;
  readonly flavour: PathFlavour;
  /** Where commands start when nothing else is said. Absolute. */
  readonly cwd: string;
  readonly home: string;
  /**
   * A private directory that this backend's own process may write: spilled answers go there, and stay. Programs that were brought
   * to the place are in `programs` below it and go with the backend.
   */
  readonly scratch: string;
  /** Whether names that differ only in case or Unicode form are the same file. */
  readonly foldsCase: boolean;
  capabilities(): MaybePromise<BackendCapabilities>;
  /**
   * Runs a program until its process has ended and its pipes have been drained for a moment; never waits for a
   * pipe that a background child still holds.
   * @throws ToolgateError `not_found` when the program or cwd doesn't exist
   */
  exec(argv: readonly string[], options: ExecOptions): Promise<ExecResult>;
  readFile(path: string, options?: ReadFileOptions): Promise<Uint8Array>;
  /** Streams a file in pieces of at most 1 MiB, from a byte offset. Pieces are only valid until the next is asked for. */
  readStream(path: string, options?: ReadFileOptions): AsyncIterable<Uint8Array>;
  /** Replaces a file atomically; a symlink in the last component is refused with `unsupported`. Answers the new state. */
  writeFile(
    path: string,
    data: Uint8Array | AsyncIterable<Uint8Array>,
    options?: WriteFileOptions,
  ): Promise<FileStat>;
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  /**
   * The path with every symlink resolved. Missing trailing components are kept as they are, so that
   * a file about to be made has a real path too. Synchronous where the backend can.
   */
  realpath(path: string): MaybePromise<string>;
  /**
   * Names the file that a path leads to by the same text under each of its hard links; `undefined` when it has but one name, is no file or
   * isn't there. Left out by backends that can't tell. Synchronous where the backend can.
   */
  fileId?(path: string): MaybePromise<string | undefined>;
  /**
   * `realpath`, kind and `fileId` of many paths in one request, in their order. Left out by backends that a question costs no round trip.
   * @throws ToolgateError `backend_unavailable`
   */
  resolveAll?(paths: readonly string[]): Promise<readonly ResolvedPath[]>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** The same at once, for a few looks. Left out by backends that have to wait. @throws ToolgateError */
  readonly glance?: Glance;
  /** Makes a directory and its missing parents; an existing one is fine. */
  mkdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, link or (with `recursive`) a tree. Never follows a link. */
  remove(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
}
