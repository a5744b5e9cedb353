import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Header } from "tar-stream";
import { ToolgateError } from "../../errors.ts";
import { MODE_BITS, type Tree, type TreeEntry } from "./entry.ts";

/**
 * The entries of a tar archive, as it comes. Whoever stops early ends the stream that it comes from.
 * @throws ToolgateError `invalid_input` for what is no tar archive or breaks off
 */
export async function* entriesOfTar(stream: AsyncIterable<Uint8Array>, what: string): Tree {
  const { default: tar } = await import("tar-stream");
  const extract = tar.extract();
  const end = new ZeroBlockAtEnd();
  // Bytes of a backend's are only valid until the next are asked for, and the parser keeps some.
  const copied = end.watch(stream);
  let failure: unknown;
  const feeding = pipeline(Readable.from(copied, { objectMode: false }), extract).catch((error: unknown) => {
    failure = error;
  });
  // The stream's own failure says more than what came of it in the parser.
  const explained = async (error: unknown): Promise<unknown> => {
    await feeding;
    return end.failure ?? badTar(what, failure ?? error);
  };
  let isDone = false;
  try {
    for await (const entry of extract) {
      yield entryOf(entry.header, bytesOf(entry, explained));
      // What nobody read of it is passed over.
      entry.resume();
    }
    isDone = true;
  } catch (error) {
    throw await explained(error);
  } finally {
    extract.destroy();
    await feeding;
  }
  if (isDone && !end.isThere) throw badTar(what, new Error("it breaks off"));
}

async function* bytesOf(
  source: AsyncIterable<unknown>,
  explained: (error: unknown) => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of source) if (piece instanceof Uint8Array) yield piece;
  } catch (error) {
    throw await explained(error);
  }
}

function entryOf(header: Header, content: AsyncIterable<Uint8Array>): TreeEntry {
  const common = { path: header.name, mode: header.mode & MODE_BITS };
  const { size, linkname: target } = header;
  switch (header.type) {
    case "file":
    case "contiguous-file":
      return { ...common, kind: "file", size, content: () => content };
    case "directory":
      return { ...common, kind: "directory" };
    case "symlink":
      return { ...common, kind: "symlink", target };
    case "link":
      return { ...common, kind: "hardlink", target };
    default:
      return { ...common, kind: "other" };
  }
}

/** Errors of ours come through as they are: they are those of the stream. */
function badTar(what: string, error: unknown): unknown {
  if (!(error instanceof Error) || !isOfTar(error)) return error;
  return new ToolgateError("invalid_input", `${what} is no whole tar archive: ${error.message}.`, {
    cause: error,
  });
}

/** The parser's own errors have no code, or that of a stream which was ended early. */
function isOfTar(error: Error): boolean {
  if (error instanceof ToolgateError || error.name === "AbortError") return false;
  return !("code" in error) || error.code === "STREAM_DESTROYED";
}

const BLOCK = 512;

/** Looks whether an archive ends as archives do, since one that was cut off between two files looks whole otherwise. */
class ZeroBlockAtEnd {
  #zeros = 0;
  /** What the archive's own stream failed with. */
  failure: unknown;

  get isThere(): boolean {
    return this.#zeros >= BLOCK;
  }

  async *watch(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    try {
      for await (const piece of stream) {
        const copy = Buffer.from(piece);
        const last = copy.findLastIndex((byte) => byte !== 0);
        this.#zeros = last < 0 ? this.#zeros + copy.length : copy.length - 1 - last;
        yield copy;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
