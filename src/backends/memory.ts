import { posix, win32 } from "node:path";
import type {
  Backend,
  BackendCapabilities,
  ExecOptions,
  ExecResult,
  PathFlavour,
  ReadFileOptions,
} from "../backend.ts";
import { ToolgateError } from "../errors.ts";
import { moveNode, removeNode } from "./memory/move.ts";
import { describeNode, entriesOf, MemoryTree } from "./memory/tree.ts";
import { checkLeadsTo, writeNode } from "./memory/write.ts";
import { checkAborted } from "./system-error.ts";

/** How a memory backend is set up. */
export interface MemoryBackendOptions {
  /** By absolute path. Parents are made. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** @default "/work" */
  readonly cwd?: string;
  /** @default "/home/user" */
  readonly home?: string;
  /** @default false, or true with the `win32` flavour */
  readonly foldsCase?: boolean;
  /** @default "posix" */
  readonly flavour?: PathFlavour;
  /** Stands in for programs. @default refuses with `unsupported` */
  readonly exec?: (argv: readonly string[], options: ExecOptions) => Promise<ExecResult>;
}

/** A memory backend also makes links, for tests. */
export interface MemoryBackend extends Backend {
  /** Makes a symbolic link at `path`; the target need not exist. */
  symlink(target: string, path: string): void;
}

const PIECE = 1024 * 1024;

const CAPABILITIES: BackendCapabilities = {
  confine: { available: false, why: "There are no programs in memory." },
  background: false,
  pty: false,
  watch: false,
};

/** Files that exist only here, for tests and dry runs. Nothing in it touches the machine. */
export function memoryBackend(options: MemoryBackendOptions = {}): MemoryBackend {
  const { flavour = "posix", files = {}, exec = noPrograms } = options;
  const windows = flavour === "win32";
  const { foldsCase = windows, cwd = windows ? "C:\\work" : "/work" } = options;
  const { home = windows ? "C:\\Users\\user" : "/home/user" } = options;
  const paths = windows ? win32 : posix;
  const tree = new MemoryTree({ flavour, foldsCase });
  const scratch = windows ? "C:\\scratch" : "/scratch";
  for (const directory of [cwd, home, scratch]) tree.makeDirectory(directory);
  for (const [path, content] of Object.entries(files)) {
    tree.makeDirectory(paths.dirname(path));
    const data = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
    tree.put(tree.find(path, false), tree.file(data, 0o644));
  }
  return {
    id: "memory",
    flavour,
    cwd,
    home,
    scratch,
    foldsCase,
    capabilities: () => CAPABILITIES,
    exec,
    async readFile(path, how = {}) {
      checkAborted(how.signal, path);
      return part(tree, path, how);
    },
    async *readStream(path, how = {}) {
      checkAborted(how.signal, path);
      const data = part(tree, path, how);
      for (let at = 0; at < data.length; at += PIECE) {
        checkAborted(how.signal, path);
        yield data.subarray(at, at + PIECE);
      }
    },
    writeFile: (path, data, how = {}) => writeNode(tree, paths, { path, data }, how),
    stat: async (path) => describeNode(tree.get(path)),
    lstat: async (path) => describeNode(tree.get(path, false)),
    realpath: (path) => tree.find(path).path,
    async list(path) {
      const node = tree.get(path);
      if (node.kind !== "directory") throw new ToolgateError("not_a_directory", `Not a directory: ${path}`);
      return entriesOf(node);
    },
    mkdir: async (path) => tree.makeDirectory(path),
    rename: async (from, to) => moveNode(tree, from, to),
    remove: async (path, how = {}) => removeNode(tree, path, how.recursive ?? false),
    symlink(target, path) {
      tree.put(tree.find(path, false), tree.link(target));
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function noPrograms(argv: readonly string[]): Promise<ExecResult> {
  throw new ToolgateError("unsupported", `There are no programs in memory: ${argv[0] ?? ""}`);
}

/** A copy: what a caller does to it changes nothing here. */
function part(tree: MemoryTree, path: string, how: ReadFileOptions): Uint8Array {
  const { path: real, node } = tree.find(path);
  if (node === undefined) tree.get(path);
  if (node?.kind !== "file") throw new ToolgateError("not_a_file", `Is a directory: ${path}`);
  checkLeadsTo(path, real, how.realPath);
  const { offset = 0, length = node.data.length } = how;
  return node.data.slice(offset, offset + length);
}
