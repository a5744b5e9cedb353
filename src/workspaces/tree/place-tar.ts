import type { Backend, ExecOptions, ExecResult } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import type { Tree, TreeDirectory, TreeEntry } from "./entry.ts";
import { Handover } from "./handover.ts";
import { entriesOfTar } from "./tar-read.ts";
import { tarOf } from "./tar-write.ts";

const WORDS_CHARS = 1000;
const OWNER_MAY = 0o700;

/** A directory as the place's tar gives it. Whoever stops early stops it. */
export async function* tarTree(backend: Backend, directory: string, signal?: AbortSignal): Tree {
  const stop = new AbortController();
  const handover = new Handover();
  const words = new LastWords();
  const running = backend
    .exec(["tar", "-c", "-f", "-", "-C", directory, "."], {
      cwd: directory,
      signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
      onOutput: (bytes, stream) => (stream === "stdout" ? handover.give(bytes) : words.add(bytes)),
    })
    .then((ended) => handover.end(failureOf(ended, words, directory, signal)))
    .catch((error: unknown) => handover.end(error));
  try {
    yield* entriesOfTar(handover, directory);
  } finally {
    stop.abort();
    await running;
  }
}

/** Has the place's tar write a tree. */
export async function writeTarTree(
  backend: Backend,
  directory: string,
  tree: Tree,
  signal?: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const words = new LastWords();
  const feed = new Feed(tarOf(directoriesLast(tree)), () => stop.abort());
  const options: ExecOptions = {
    cwd: directory,
    stdin: feed,
    signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
    onOutput: (bytes, stream) => (stream === "stderr" ? words.add(bytes) : undefined),
  };
  try {
    // No owners of another machine; the modes as they are.
    const ended = await backend.exec(["tar", "-x", "-o", "-p", "-f", "-", "-C", directory], options);
    const failure = feed.failure ?? failureOf(ended, words, directory, signal);
    if (failure !== undefined) throw failure;
  } catch (error) {
    throw feed.failure ?? error;
  } finally {
    feed.end();
  }
}

/** A stream whose failure is kept, and ends what reads it, however that takes failures of what it reads. */
class Feed implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncGenerator<Uint8Array>;
  readonly #onFailure: () => void;
  failure: unknown;

  constructor(source: AsyncGenerator<Uint8Array>, onFailure: () => void) {
    this.#source = source;
    this.#onFailure = onFailure;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#source;
    } catch (error) {
      this.failure = error;
      this.#onFailure();
    }
  }

  /** Lets go of what it reads from, without waiting for a stream that is stuck. */
  end(): void {
    this.#source.return(undefined).catch(() => undefined);
  }
}

/** Directories that can't be written get their modes when all is in them: not every tar waits with that. */
async function* directoriesLast(tree: Tree): AsyncGenerator<TreeEntry> {
  const closed: TreeDirectory[] = [];
  for await (const entry of tree) {
    if (entry.kind === "directory" && (entry.mode & OWNER_MAY) !== OWNER_MAY) {
      closed.push(entry);
      yield { ...entry, mode: entry.mode | OWNER_MAY };
    } else yield entry;
  }
  yield* closed.reverse();
}

class LastWords {
  #text = "";

  add(bytes: Uint8Array): void {
    this.#text = (this.#text + Buffer.from(bytes).toString("utf8")).slice(-WORDS_CHARS);
  }

  get text(): string {
    return this.#text.trim();
  }
}

function failureOf(
  { exitCode, stopped }: ExecResult,
  { text }: LastWords,
  directory: string,
  signal: AbortSignal | undefined,
): unknown {
  if (signal?.aborted) return signal.reason;
  if (exitCode === 0 && !stopped) return undefined;
  const isFull = /no space left|quota exceeded/i.test(text);
  const how = exitCode === null ? "was stopped" : `ended with exit code ${exitCode}`;
  const said = text === "" ? "" : `: ${text}`;
  return new ToolgateError(isFull ? "no_space" : "tool_failed", `tar ${how} in ${directory}${said}`);
}
