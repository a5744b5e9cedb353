import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { ToolgateError } from "../../errors.ts";
import { MODE_BITS, type Tree, type TreeEntry } from "./entry.ts";

const KIND_BITS = 0o170000;
const KINDS: ReadonlyMap<number, TreeEntry["kind"]> = new Map([
  [0, "file"],
  [0o100000, "file"],
  [0o040000, "directory"],
  [0o120000, "symlink"],
]);
const MADE_ON_UNIX = 3;
/** Below that much, a file may be packed as well as it likes. */
const FREE_BYTES = 1024 * 1024;

/**
 * The entries of a zip archive, by its central directory. The file is closed when it is done or nobody reads on.
 * @throws ToolgateError `invalid_input` for what is no zip archive, `too_large` for a file that expands more than `maxRatio` times
 */
export async function* entriesOfZip(path: string, what: string, maxRatio: number): Tree {
  const { default: yauzl } = await import("yauzl");
  const zip = await yauzl
    .openPromise(path, { autoClose: false, strictFileNames: true })
    .catch((error: unknown) => {
      throw badZip(what, error);
    });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.isEncrypted()) throw new Error(`${entry.fileName} is encrypted`);
      yield entryOf(zip, entry, { what, maxRatio });
    }
  } catch (error) {
    throw badZip(what, error);
  } finally {
    zip.close();
  }
}

interface Reading {
  readonly what: string;
  readonly maxRatio: number;
}

function entryOf(zip: ZipFile, entry: Entry, reading: Reading): TreeEntry {
  const { fileName: path, uncompressedSize: size } = entry;
  const isUnix = entry.versionMadeBy >> 8 === MADE_ON_UNIX;
  const attributes = isUnix ? entry.externalFileAttributes >>> 16 : 0;
  const kind = path.endsWith("/") ? "directory" : (KINDS.get(attributes & KIND_BITS) ?? "other");
  const bits = attributes & MODE_BITS;
  const mode = bits === 0 ? (kind === "directory" ? 0o755 : 0o644) : bits;
  switch (kind) {
    case "file":
      return { path, kind, mode, size, content: () => contentOf(zip, entry, reading) };
    case "symlink":
      // Its content says where it leads. Links of archives are refused, so that nobody needs to know.
      return { path, kind, mode, target: "" };
    case "directory":
      return { path, kind, mode };
    default:
      return { path, kind: "other", mode };
  }
}

async function* contentOf(
  zip: ZipFile,
  entry: Entry,
  { what, maxRatio }: Reading,
): AsyncGenerator<Uint8Array> {
  const most = Math.max(FREE_BYTES, entry.compressedSize * maxRatio);
  let size = 0;
  let sum = 0;
  try {
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      if (!(piece instanceof Uint8Array)) continue;
      size += piece.length;
      if (size > most) throw tooTight(what, maxRatio);
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (error) {
    throw badZip(what, error);
  }
  if (sum !== entry.crc32) throw badZip(what, new Error(`${entry.fileName} is damaged`));
}

/** An archive that is packed so tightly that it is made to fill a disk. */
export function tooTight(what: string, maxRatio: number): ToolgateError {
  return new ToolgateError("too_large", `${what} expands to more than ${maxRatio} times its size.`);
}

function badZip(what: string, error: unknown): unknown {
  if (error instanceof ToolgateError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new ToolgateError("invalid_input", `${what} can't be read as a zip archive: ${why}.`, {
    cause: error,
  });
}
