import type { Backend } from "../backend.ts";
import { isToolgateError } from "../errors.ts";

/** Characters that wait for a write. */
const PIECE_CHARS = 256 * 1024;

/** Keeps the whole of an answer: in memory while it is short, in a file of the backend's once somebody needs to read on. */
export class Spill {
  readonly #backend: Backend;
  readonly #callId: string;
  #path: string | undefined;
  #pieces: string[] = [];
  #waiting = 0;
  #isOpen = false;
  #isWritten = false;
  #last: Promise<void> = Promise.resolve();
  #failure: string | undefined;

  constructor(backend: Backend, callId: string) {
    this.#backend = backend;
    this.#callId = callId;
  }

  /** Where it goes. */
  get path(): string {
    this.#path ??= spillPath(this.#backend, this.#callId, "txt");
    return this.#path;
  }

  /** From now on the answer goes to the file, what has come included. */
  open(): void {
    this.#isOpen = true;
  }

  /** Takes a piece. A promise says that the disk has to catch up first. */
  push(text: string): undefined | Promise<void> {
    if (this.#failure !== undefined) return undefined;
    this.#pieces.push(text);
    this.#waiting += text.length;
    if (!this.#isOpen || this.#waiting < PIECE_CHARS) return undefined;
    return this.#flush();
  }

  /** Settles when all is in the file: with what went wrong, if it isn't. */
  async close(): Promise<string | undefined> {
    await this.#flush();
    return this.#failure;
  }

  #flush(): Promise<void> {
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#waiting = 0;
    this.#last = this.#last.then(() => this.#write(text));
    return this.#last;
  }

  async #write(text: string): Promise<void> {
    if (text === "" || this.#failure !== undefined) return;
    const options = this.#isWritten ? { append: true } : { parents: true, mode: 0o600 };
    this.#isWritten = true;
    this.#failure = await saved(this.#backend, this.path, Buffer.from(text), options);
  }
}

/** Puts bytes into a file of their own; answers its path, or what went wrong. */
export async function saveData(
  backend: Backend,
  callId: string,
  data: { readonly bytes: Uint8Array; readonly mediaType: string },
): Promise<{ readonly path: string; readonly failure: string | undefined }> {
  const [, kind = "bin"] = /^[a-z]+\/([a-z0-9]{1,8})$/.exec(data.mediaType) ?? [];
  const path = spillPath(backend, callId, kind);
  const failure = await saved(backend, path, data.bytes, { parents: true, mode: 0o600 });
  return { path, failure };
}

async function saved(
  backend: Backend,
  path: string,
  bytes: Uint8Array,
  options: Parameters<Backend["writeFile"]>[2],
): Promise<string | undefined> {
  try {
    await backend.writeFile(path, bytes, options);
    return undefined;
  } catch (error) {
    return isToolgateError(error) || error instanceof Error ? error.message : String(error);
  }
}

/** A call's id comes from a model: of it only what is harmless in a name is used. */
function spillPath({ scratch, flavour }: Backend, callId: string, kind: string): string {
  const name = callId.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 40);
  const unique = crypto.randomUUID().slice(0, 8);
  return [scratch, `answer-${name === "" ? "" : `${name}-`}${unique}.${kind}`].join(
    flavour === "win32" ? "\\" : "/",
  );
}
