import type { ExecOptions } from "../../backend.ts";

type Stream = "stdout" | "stderr";

/** Takes a line of words that stood in the output: the run's own, not the program's. */
type Heard = (words: readonly string[], stream: Stream) => void;

/**
 * Tells what the run itself says, in lines that begin with its secret, from what the program puts out, and passes the
 * latter on, one piece at a time.
 */
export class MarkedOutput {
  readonly #nonce: Buffer;
  readonly #heard: Heard;
  readonly #onOutput: ExecOptions["onOutput"];
  readonly #held: Record<Stream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  /** What is being taken now. */
  #busy: Promise<void> | undefined;
  #silent = false;

  constructor(nonce: string, heard: Heard, onOutput: ExecOptions["onOutput"]) {
    this.#nonce = Buffer.from(nonce);
    this.#heard = heard;
    this.#onOutput = onOutput;
  }

  /** Passes nothing on any more. */
  silence(): void {
    this.#silent = true;
  }

  /** The next bytes of a stream. */
  take(bytes: Uint8Array, stream: Stream): Promise<void> | undefined {
    if (this.#busy !== undefined) {
      const busy = this.#busy.then(() => this.#scan(bytes, stream));
      return this.#wait(busy);
    }
    const pending = this.#scan(bytes, stream);
    return pending === undefined ? undefined : this.#wait(pending);
  }

  #wait(pending: Promise<void>): Promise<void> {
    this.#busy = pending;
    const settled = (): void => {
      if (this.#busy === pending) this.#busy = undefined;
    };
    pending.then(settled, settled);
    return pending;
  }

  /** Goes through the bytes as far as it can without waiting; the rest when what is waited for has settled. */
  #scan(bytes: Uint8Array, stream: Stream): Promise<void> | undefined {
    let rest = view(bytes);
    if (this.#held[stream].length > 0) {
      rest = Buffer.concat([this.#held[stream], rest]);
      this.#held[stream] = Buffer.alloc(0);
    }
    for (;;) {
      const at = rest.indexOf(this.#nonce);
      const end = at < 0 ? -1 : rest.indexOf("\n", at);
      const cut = at < 0 ? rest.length - this.#overlap(rest) : at;
      const pending = this.#pass(rest.subarray(0, cut), stream);
      if (end < 0) {
        this.#held[stream] = Buffer.from(rest.subarray(cut));
        return pending;
      }
      const words = rest.toString("latin1", at + this.#nonce.length + 1, end).split(" ");
      rest = rest.subarray(end + 1);
      if (pending !== undefined) {
        const after = rest;
        return pending.then(() => {
          this.#heard(words, stream);
          return this.#scan(after, stream);
        });
      }
      this.#heard(words, stream);
    }
  }

  #pass(bytes: Uint8Array, stream: Stream): Promise<void> | undefined {
    if (bytes.length === 0 || this.#silent) return undefined;
    return this.#onOutput?.(bytes, stream) ?? undefined;
  }

  /** How many bytes at the end may be the beginning of the secret. */
  #overlap(bytes: Buffer): number {
    for (let size = Math.min(this.#nonce.length - 1, bytes.length); size > 0; size -= 1) {
      if (bytes.subarray(bytes.length - size).equals(this.#nonce.subarray(0, size))) return size;
    }
    return 0;
  }
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
