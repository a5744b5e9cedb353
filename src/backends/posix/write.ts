import type { FileStat, WriteFileOptions } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { checkAborted } from "../system-error.ts";
import { checked } from "./files.ts";
import { FUNCTIONS, type Place } from "./place.ts";
import { parseStat, replyError } from "./reply.ts";
import { Upload } from "./upload.ts";

/** What a file is written from. */
type Data = Uint8Array | AsyncIterable<Uint8Array>;

/** As much goes with the request itself, in one round trip: every shell reads that much at once. */
const AT_ONCE = 64 * 1024;
const MAX_COMPLAINT = 4096;
const LET_GO_MS = 2000;

/** What all scripts that write are told first. */
interface Target {
  readonly path: string;
  readonly name: string;
  /** Parent, where it must lead, whether to make it; name; version. */
  readonly words: readonly [parent: string, leads: string, make: string, name: string, version: string];
  /** Permission bits for a new file, in octal; `""` for the usual ones. */
  readonly bits: string;
  readonly signal: AbortSignal | undefined;
}

/** Replaces a file atomically, or adds to its end. */
export async function writeFile(
  place: Place,
  path: string,
  data: Data,
  options: WriteFileOptions = {},
): Promise<FileStat> {
  const { ifVersion = "", mode, realPath, parents = false, append = false, signal } = options;
  checked(path);
  checkAborted(signal, path);
  const at = path.lastIndexOf("/");
  const name = path.slice(at + 1);
  if (name === "" || name === "." || name === "..") {
    throw new ToolgateError("not_a_file", `Names a directory: ${path}`);
  }
  const leads = realPath === undefined ? "" : parentOf(realPath);
  const target: Target = {
    path,
    name,
    words: [parentOf(path), leads, parents ? "make" : "", name, ifVersion],
    bits: mode === undefined ? "" : (mode & 0o7777).toString(8),
    signal,
  };
  return append ? appendTo(place, target, data) : replace(place, target, data);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")).replace(/\/+$/, "") || "/";
}

/** Each piece is in the file before the next is asked for. */
async function appendTo(place: Place, target: Target, data: Data): Promise<FileStat> {
  let state: FileStat | undefined;
  let [parent, leads, make, name, version] = target.words;
  const add = async (bytes: Uint8Array): Promise<void> => {
    checkAborted(target.signal, target.path);
    const words = [parent, leads, make, name, version, target.bits, base64(bytes)] as const;
    state = parseStat(await place.ask("tg_append", words), target.path);
    [make, version] = ["", ""];
  };
  for await (const piece of data instanceof Uint8Array ? [data] : data) {
    for (let done = 0; done < piece.length; done += AT_ONCE) await add(piece.subarray(done, done + AT_ONCE));
  }
  if (state === undefined) await add(new Uint8Array());
  checkAborted(target.signal, target.path);
  return state ?? parseStat(await place.ask("tg_stat", [target.path]), target.path);
}

async function replace(place: Place, target: Target, data: Data): Promise<FileStat> {
  const key = await keyOf(target.name);
  const temporary = `.toolgate-${key}-${randomHex(9)}.tmp`;
  const words = [...target.words, target.bits, temporary, key] as const;
  const source = data instanceof Uint8Array ? { first: data, rest: undefined } : await start(data);
  const { signal } = target;
  checkAborted(signal, target.path);
  if (source.rest === undefined && source.first.length <= AT_ONCE) {
    const reply = await place.ask("tg_write", [...words, base64(source.first)]);
    return parseStat(reply, target.path);
  }
  const upload = new Upload(source.first, source.rest);
  await send(place, upload, { target, words });
  const commit = [...target.words, target.bits, temporary, upload.sent] as const;
  try {
    checkAborted(signal, target.path);
    return parseStat(await place.ask("tg_commit", commit), target.path);
  } catch (error) {
    const [parent, leads] = target.words;
    // The first cause is what counts; what a lost place keeps is taken away by the next writer.
    await place.ask("tg_discard", [parent, leads, temporary]).catch(() => undefined);
    throw error;
  }
}

/** A hash, since the target's own name may already be as long as names can be. */
async function keyOf(name: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(name));
  return Buffer.from(digest).toString("hex").slice(0, 16);
}

/** Takes pieces until they are too many to go with the request, or the end has come. */
async function start(
  data: AsyncIterable<Uint8Array>,
): Promise<{ readonly first: Uint8Array; readonly rest: AsyncIterator<Uint8Array> | undefined }> {
  const pieces = data[Symbol.asyncIterator]();
  const taken: Buffer[] = [];
  for (let size = 0; size <= AT_ONCE; ) {
    const next = await pieces.next();
    if (next.done === true) return { first: Buffer.concat(taken), rest: undefined };
    taken.push(Buffer.from(next.value));
    size += next.value.length;
  }
  return { first: Buffer.concat(taken), rest: pieces };
}

interface Sending {
  readonly target: Target;
  readonly words: readonly string[];
}

/** Uploads beside the target. */
async function send(place: Place, upload: Upload, { target, words }: Sending): Promise<void> {
  const { path, signal } = target;
  const script = `${FUNCTIONS}\ntg_upload "$@"`;
  let said = Buffer.alloc(0);
  const letGo = new AbortController();
  const run = place.transport.run(["sh", "-c", script, "sh", ...words, upload.mark], {
    stdin: upload,
    signal: letGo.signal,
    onOutput(bytes) {
      said = Buffer.concat([said, bytes]).subarray(-MAX_COMPLAINT);
    },
  });
  // The upload itself ends when it is stopped, so that the place cleans up; one that can't is let go of.
  const onAbort = (): void => {
    upload.stop();
    void inTime(run, LET_GO_MS).then((ended) => ended || letGo.abort());
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const { exitCode } = await run;
    if (upload.failed !== undefined) throw upload.failed.reason;
    checkAborted(signal, path);
    if (exitCode !== 0) throw replyError({ status: exitCode ?? 1, output: said }, path);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
