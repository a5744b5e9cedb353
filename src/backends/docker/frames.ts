/** A piece of one of the two outputs, as it came. */
export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Buffer;
}

const HEADER_BYTES = 8;

/**
 * Takes the engine's one stream apart into the two outputs. A frame is a kind (1 is stdout), three zeros, a length and as many bytes;
 * pieces are passed on as they come, without waiting for the rest of a frame. They share memory with what was pushed.
 */
export class FrameReader {
  #header = Buffer.alloc(0);
  #stream: OutputPiece["stream"] = "stdout";
  #left = 0;

  *push(bytes: Buffer): Generator<OutputPiece> {
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#left === 0) rest = this.#takeHeader(rest);
      const piece = rest.subarray(0, this.#left);
      rest = rest.subarray(piece.length);
      this.#left -= piece.length;
      if (piece.length > 0) yield { stream: this.#stream, bytes: piece };
    }
  }

  /** Answers what follows the header; nothing while it isn't whole. */
  #takeHeader(bytes: Buffer): Buffer {
    const missing = HEADER_BYTES - this.#header.length;
    this.#header = Buffer.concat([this.#header, bytes.subarray(0, missing)]);
    if (this.#header.length === HEADER_BYTES) {
      this.#stream = this.#header[0] === 1 ? "stdout" : "stderr";
      this.#left = this.#header.readUInt32BE(4);
      this.#header = Buffer.alloc(0);
    }
    return bytes.subarray(missing);
  }
}
