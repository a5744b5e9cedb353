import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** Reads one message of a line. @throws SyntaxError for a line that is no JSON */
export type ReadMessage = (line: string) => JSONRPCMessage;

/**
 * Puts the pieces of a pipe together to lines, in a time that grows with their length and no faster: a message of many megabytes comes
 * in hundreds of pieces. Has the methods of the SDK's own buffer, which joins everything anew with each piece.
 */
export class LineBuffer {
  readonly #read: ReadMessage;
  readonly #maxBytes: number;
  #lines: Buffer[] = [];
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(read: ReadMessage, maxBytes: number) {
    this.#read = read;
    this.#maxBytes = maxBytes;
  }

  /** @throws Error when a line grows beyond all bounds */
  append(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#pieces.push(chunk.subarray(start, end));
      this.#lines.push(Buffer.concat(this.#pieces));
      this.#pieces = [];
      this.#size = 0;
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#pieces.push(chunk.subarray(start));
    this.#size += chunk.length - start;
    if (this.#size <= this.#maxBytes) return;
    this.clear();
    throw new Error(`A message is larger than ${this.#maxBytes} bytes.`);
  }

  /** The next message, `null` when there is none yet. Lines that are no JSON are passed over. */
  readMessage(): JSONRPCMessage | null {
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
      try {
        return this.#read(line.toString("utf8").replace(/\r$/, ""));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    return null;
  }

  clear(): void {
    this.#lines = [];
    this.#pieces = [];
    this.#size = 0;
  }
}
