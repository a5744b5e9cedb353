import { constants, lchownSync, lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Backend, DirectoryEntry, FileStat, ReadFileOptions, WriteFileOptions } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { Data } from "../local/fill.ts";
import { checkLeadsTo } from "../local/leads-to.ts";
import { readFile, readStream } from "../local/read.ts";
import { describeStat, kindOf } from "../local/stat.ts";
import { writeFile } from "../local/write.ts";
import { errorCode, systemError } from "../system-error.ts";
import { type Inside, isInside } from "./inside.ts";
import { held, inParent, inParents, makeBelow, moved, type Owner, removeBelow } from "./pinned.ts";
import type { Place, View } from "./view.ts";

type FileOperations = Pick<
  Backend,
  | "readFile"
  | "readStream"
  | "writeFile"
  | "stat"
  | "lstat"
  | "realpath"
  | "list"
  | "mkdir"
  | "rename"
  | "remove"
> & { readonly fileId: (path: string) => string | undefined };

/** What the operations on files go by. */
export interface FilesHost {
  readonly view: View;
  /** Whose new files are, when not this process's. */
  readonly owner: Owner | undefined;
  readonly inside: Inside;
}

/**
 * The operations on files, done on this machine within what the sandbox sees: each path is resolved by the sandbox's mounts,
 * and the act is held to where that led. What isn't on this machine is looked at from inside, and nothing is changed there.
 */
export function fileOperations({ view, owner, inside }: FilesHost): FileOperations {
  const stat = async (place: Place): Promise<FileStat> =>
    told(place, () => inParent(place, (path) => describeStat(lstatSync(path, { bigint: true }))));
  return {
    realpath(path) {
      const real = view.realpath(path);
      return isInside(real) ? inside.files.realpath(real) : real;
    },
    async stat(path) {
      const place = view.follow(path);
      return isInside(place.path) ? inside.files.stat(place.path) : stat(place);
    },
    async lstat(path) {
      const place = view.named(path);
      return isInside(place.path) ? inside.files.lstat(place.path) : stat(place);
    },
    async readFile(path, options = {}) {
      const found = view.follow(path);
      if (isInside(found.path)) return inside.files.readFile(found.path, options);
      const place = judged(found, options);
      return told(place, () => readFile(place.machine, { ...options, realPath: place.machine }));
    },
    async *readStream(path, options = {}) {
      const found = view.follow(path);
      if (isInside(found.path)) return yield* inside.files.readStream(found.path, options);
      const place = judged(found, options);
      const pieces = readStream(place.machine, { ...options, realPath: place.machine });
      try {
        yield* pieces;
      } catch (error) {
        throw retold(error, place);
      }
    },
    writeFile: (path, data, options = {}) => write(view, owner, path, data, options),
    async list(path) {
      const place = view.follow(path);
      return isInside(place.path) ? inside.files.list(place.path) : list(view, place);
    },
    async mkdir(path) {
      const place = view.follow(path);
      await told(place, () => {
        if (look(place)?.isDirectory()) return;
        checkWritable(place);
        makeBelow(place, owner);
      });
    },
    async rename(from, to) {
      const [one, other] = [view.named(from), view.named(to)];
      await rename(one, other);
    },
    async remove(path, how = {}) {
      const place = view.named(path);
      await told(place, () => remove(place, how.recursive ?? false));
    },
    fileId(path) {
      try {
        const found = look(view.follow(path));
        return found?.isFile() && found.nlink > 1 ? `${found.dev}:${found.ino}` : undefined;
      } catch {
        // No access, a loop: the path's real form is judged, which fails closed by itself.
        return undefined;
      }
    },
  };
}

/** Refuses when a path leads elsewhere than was judged. */
function judged(place: Place, options: ReadFileOptions): Place {
  if (options.realPath === undefined || options.realPath === place.path) return place;
  throw moved(place.path);
}

async function write(
  view: View,
  owner: Owner | undefined,
  path: string,
  data: Data,
  options: WriteFileOptions,
): Promise<FileStat> {
  const place = view.named(path);
  if (/\/\.{0,2}$/.test(path)) throw new ToolgateError("not_a_file", `Names a directory: ${path}`);
  const parent = dirname(place.path);
  if (options.realPath !== undefined && parent !== dirname(options.realPath)) throw moved(path);
  return told(place, async () => {
    const before = owner === undefined ? undefined : look(place);
    if (!place.mount.writable || view.mountedAt(place.path) !== undefined) throw readOnly(place.path);
    if (options.parents) makeBelow({ ...place, machine: dirname(place.machine) }, owner);
    const written = await writeFile(place.machine, data, {
      ...options,
      realPath: place.machine,
      parents: false,
    });
    if (owner === undefined || before !== undefined) return written;
    return inParent(place, (name) => {
      lchownSync(name, owner.uid, owner.gid);
      return describeStat(lstatSync(name, { bigint: true }));
    });
  });
}

async function list(view: View, place: Place): Promise<readonly DirectoryEntry[]> {
  const { path } = place;
  return told(place, async () => {
    const handle = await open(place.machine, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isDirectory()) {
        throw new ToolgateError("not_a_directory", `Not a directory: ${path}`);
      }
      await checkLeadsTo(handle, { path, realPath: place.machine });
      const entries = await readdir(held(handle.fd), { withFileTypes: true });
      return await Promise.all(
        entries.map(async (entry) => {
          // What stands there on this machine only holds the place of what is mounted.
          const mount = view.mountedAt(join(place.path, entry.name));
          return { name: entry.name, kind: kindOf(mount === undefined ? entry : await lstat(mount.source)) };
        }),
      );
    } finally {
      await handle.close();
    }
  });
}

async function rename(from: Place, to: Place): Promise<void> {
  try {
    await told(from, () => inParent(from, (path) => lstatSync(path)));
    for (const place of [from, to]) checkWritable(place);
    inParents(from, to, renameSync);
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") {
      throw new ToolgateError("not_a_directory", `Not a directory: ${to.path}`, { cause: error });
    }
    throw systemError(error, to.path);
  }
}

async function remove(place: Place, recursive: boolean): Promise<void> {
  const found = inParent(place, (path) => lstatSync(path));
  checkWritable(place);
  if (!found.isDirectory()) return inParent(place, unlinkSync);
  if (!recursive) {
    throw new ToolgateError("not_a_file", `Is a directory: ${place.path}`, {
      hint: "Removing a directory with all it holds takes `recursive`.",
    });
  }
  await removeBelow(place);
}

/** What is there; `undefined` for nothing, and for nothing that could be looked at. */
function look(place: Place): Stats | undefined {
  try {
    return inParent(place, (path) => lstatSync(path));
  } catch {
    // Whoever acts on it next says why.
    return undefined;
  }
}

/** Refuses what the sandbox could not change: what is mounted read-only, and what something is mounted on. */
function checkWritable(place: Place): void {
  if (!place.mount.writable) throw readOnly(place.path);
  if (place.mount.at === place.path) {
    throw new ToolgateError("unsupported", `In use by the system: ${place.path}`);
  }
}

function readOnly(path: string): ToolgateError {
  return new ToolgateError("permission_denied", `Read-only in the sandbox: ${path}`);
}

/** Says failures with the path as the sandbox spells it. */
async function told<T>(place: Place, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw retold(error, place);
  }
}

function retold(error: unknown, place: Place): unknown {
  if (!isToolgateError(error)) return systemError(error, place.path);
  if (place.machine === place.path || !error.message.includes(place.machine)) return error;
  const { code, hint, cause } = error;
  const message = error.message.replaceAll(place.machine, place.path);
  return new ToolgateError(code, message, { ...(hint === undefined ? {} : { hint }), cause });
}
