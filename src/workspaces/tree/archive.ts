import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { ToolgateError } from "../../errors.ts";
import type { Tree } from "./entry.ts";
import { entriesOfTar } from "./tar-read.ts";
import { entriesOfZip, tooTight } from "./zip-read.ts";

/** An archive's bytes, all at once or as they come. */
export type ArchiveStream = Uint8Array | AsyncIterable<Uint8Array>;

/** How an archive is read. */
export interface ArchiveOptions {
  /** For messages: `the archive of a skill`. */
  readonly what: string;
  /** Bytes of the archive itself. */
  readonly maxBytes: number;
  /** How many times its own size it may expand to. */
  readonly maxRatio: number;
}

/** Below that much, an archive may be packed as well as it likes. */
const FREE_BYTES = 1024 * 1024;
const ZIP = Buffer.from("PK");
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * The entries of a zip, tar or tar.gz archive; which it is, its first bytes say. Nothing of it is believed yet: see the guard.
 * @throws ToolgateError `invalid_input` for what is neither, or is damaged; `too_large`
 */
export async function* entriesOfArchive(stream: ArchiveStream, options: ArchiveOptions): Tree {
  const { what, maxRatio } = options;
  const source = new Peeked(bounded(stream, options));
  try {
    const first = await source.first();
    if (first.subarray(0, 2).equals(ZIP)) yield* spooledZip(source.all(), options);
    else if (first.subarray(0, 2).equals(GZIP)) {
      yield* entriesOfTar(gunzipped(source.all(), what, maxRatio), what);
    } else yield* entriesOfTar(source.all(), what);
  } finally {
    await source.end();
  }
}

async function* bounded(
  stream: ArchiveStream,
  { what, maxBytes }: ArchiveOptions,
): AsyncGenerator<Uint8Array> {
  const pieces = stream instanceof Uint8Array ? [stream] : stream;
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > maxBytes) throw new ToolgateError("too_large", `${what} is larger than ${maxBytes} bytes.`);
    yield piece;
  }
}

/** A stream whose first bytes were looked at. */
class Peeked {
  readonly #rest: AsyncGenerator<Uint8Array>;
  #head: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncGenerator<Uint8Array>) {
    this.#rest = stream;
  }

  async first(): Promise<Buffer> {
    while (this.#head.length < 2) {
      const { value, done } = await this.#rest.next();
      if (done) break;
      this.#head = Buffer.concat([this.#head, value]);
    }
    return this.#head;
  }

  async *all(): AsyncGenerator<Uint8Array> {
    yield this.#head;
    yield* this.#rest;
  }

  async end(): Promise<void> {
    await this.#rest.return(undefined);
  }
}

/** A zip archive's directory is at its end, so that it has to be there as a whole first: packed, on this machine, for as long as it is read. */
async function* spooledZip(stream: AsyncIterable<Uint8Array>, options: ArchiveOptions): Tree {
  const folder = await mkdtemp(join(tmpdir(), "toolgate-zip-"));
  try {
    const path = join(folder, "archive.zip");
    await using file = await open(path, "wx", 0o600);
    for await (const piece of stream) await file.writeFile(piece);
    yield* entriesOfZip(path, options.what, options.maxRatio);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* gunzipped(
  stream: AsyncIterable<Uint8Array>,
  what: string,
  maxRatio: number,
): AsyncGenerator<Uint8Array> {
  let packed = 0;
  let plain = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of stream) {
      packed += piece.length;
      yield piece;
    }
  }
  const gunzip = createGunzip();
  let failure: unknown;
  const feeding = pipeline(Readable.from(counted(), { objectMode: false }), gunzip).catch(
    (error: unknown) => {
      failure = error;
    },
  );
  try {
    for await (const piece of gunzip) {
      if (!(piece instanceof Uint8Array)) continue;
      plain += piece.length;
      if (plain > FREE_BYTES && plain > packed * maxRatio) throw tooTight(what, maxRatio);
      yield piece;
    }
  } catch (error) {
    const cause = failure ?? error;
    if (error instanceof ToolgateError) throw error;
    if (cause instanceof ToolgateError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolgateError("invalid_input", `${what} can't be unpacked: ${why}.`, { cause });
  } finally {
    gunzip.destroy();
    await feeding;
  }
}
