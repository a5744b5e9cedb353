import type { ReadFileOptions } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { checkAborted } from "../system-error.ts";
import { checked } from "./files.ts";
import { Handover } from "./handover.ts";
import { FUNCTIONS, type Place } from "./place.ts";
import { replyError } from "./reply.ts";
import { BLOCK } from "./script.ts";

/** As much is answered together with the look at the file: one round trip. */
const AT_ONCE = 256 * 1024;
/** The most one answer may hold; above it a caller has to read in parts. */
const MAX_WHOLE = 2 ** 31 - 1;
const PIECE = 1024 * 1024;
const MAX_COMPLAINT = 4096;

/** Reads a file or a part of it. */
export async function readFile(
  place: Place,
  path: string,
  options: ReadFileOptions = {},
): Promise<Uint8Array> {
  const { offset = 0, length, realPath = "", signal } = options;
  checked(path);
  checkAborted(signal, path);
  const words = [path, realPath, offset, length ?? "", AT_ONCE] as const;
  const reply = await place.ask("tg_read", words, { again: true, signal });
  if (reply.status !== 0) throw replyError(reply, path);
  const cut = reply.output.indexOf("\n") + 1;
  const [, size, count] = /^(\d+) (\d+|unknown)\n$/.exec(reply.output.toString("latin1", 0, cut)) ?? [];
  const wanted = Number(count);
  if (wanted <= AT_ONCE) {
    const from = cut + (offset % BLOCK);
    // Not from a shared pool: the caller gets the whole ArrayBuffer and nothing of anybody else's.
    return new Uint8Array(reply.output.subarray(from, from + wanted));
  }
  if (wanted > MAX_WHOLE) {
    throw new ToolgateError("too_large", `${path} has ${size} bytes, more than fit in one answer.`, {
      hint: "Read it in parts, with offset and length.",
    });
  }
  return gather(readStream(place, path, options), Number.isNaN(wanted) ? 0 : wanted);
}

async function gather(pieces: AsyncIterable<Uint8Array>, expected: number): Promise<Uint8Array> {
  let all = Buffer.allocUnsafeSlow(expected);
  let done = 0;
  for await (const piece of pieces) {
    if (done + piece.length > all.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(done + piece.length, all.length * 2));
      all.copy(larger, 0, 0, done);
      all = larger;
    }
    all.set(piece, done);
    done += piece.length;
  }
  return all.subarray(0, done);
}

/** Streams a file, from a run of its own. */
export async function* readStream(
  place: Place,
  path: string,
  options: ReadFileOptions = {},
): AsyncGenerator<Uint8Array> {
  const { offset = 0, length, realPath = "", signal } = options;
  checked(path);
  checkAborted(signal, path);
  const handover = new Handover();
  const stop = new AbortController();
  const trim = new Trim(offset, length);
  const script = `${FUNCTIONS}\ntg_stream "$@"`;
  const words = [path, realPath, String(offset), length === undefined ? "" : String(length)];
  let complaint = Buffer.alloc(0);
  const run = place.transport
    .run(["sh", "-c", script, "sh", ...words], {
      signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
      async onOutput(bytes, stream) {
        if (stream === "stderr") complaint = Buffer.concat([complaint, bytes]).subarray(-MAX_COMPLAINT);
        else for (const piece of trim.take(bytes)) await handover.give(piece);
        if (trim.done) handover.end(undefined);
      },
    })
    .then(({ exitCode }) => {
      const failed = exitCode !== 0 && !trim.done;
      const output = exitCode === 9 ? trim.head : complaint;
      handover.end(failed ? replyError({ status: exitCode ?? 1, output }, path) : undefined);
    })
    .catch((error: unknown) => handover.end(error));
  try {
    for (;;) {
      const piece = await handover.take();
      checkAborted(signal, path);
      if (piece === undefined) return;
      yield piece;
    }
  } finally {
    // Whoever has enough lets go; the program ends when it finds nobody who reads.
    handover.close();
    stop.abort();
    await run;
  }
}

/** Takes the line before the content and what is outside the wanted part away. */
class Trim {
  /** What was said before the content. */
  head: Buffer = Buffer.alloc(0);
  #started = false;
  #skip: number;
  #left: number;

  constructor(offset: number, length = Number.POSITIVE_INFINITY) {
    this.#skip = offset;
    this.#left = length;
  }

  /** Nothing more is wanted. */
  get done(): boolean {
    return this.#started && this.#left === 0;
  }

  *take(bytes: Uint8Array): Generator<Uint8Array> {
    let rest = bytes;
    if (!this.#started) {
      this.head = Buffer.concat([this.head, bytes]);
      const [line, , base] = /^(\d+) (\d+)\n/.exec(this.head.toString("latin1", 0, 64)) ?? [];
      if (line === undefined) return;
      this.#started = true;
      this.#skip -= Number(base);
      rest = this.head.subarray(line.length);
    }
    const skipped = Math.min(this.#skip, rest.length);
    this.#skip -= skipped;
    rest = rest.subarray(skipped, skipped + this.#left);
    this.#left -= rest.length;
    for (let at = 0; at < rest.length; at += PIECE) yield rest.subarray(at, at + PIECE);
  }
}
