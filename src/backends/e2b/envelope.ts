/** A message of a stream, as the Connect protocol wraps it: a byte of flags, the length in four, the content. */
export interface Envelope {
  readonly flags: number;
  readonly body: Buffer;
}

const HEAD = 5;
/** The flag of a stream's last envelope. */
export const LAST_ENVELOPE = 2;
/** Far more than any message of envd; a length past it means that this is no such stream. */
const MOST = 64 * 1024 * 1024;

/** Wraps a message. */
export function envelope(message: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

/** Finds the envelopes in a stream of bytes that is cut anywhere. */
export class EnvelopeReader {
  #held: Buffer[] = [];
  #length = 0;
  #wanted = HEAD;

  /** The envelopes that are whole with these bytes. They are views, valid for as long as the bytes are. */
  *take(bytes: Buffer): Generator<Envelope> {
    this.#held.push(bytes);
    this.#length += bytes.length;
    while (this.#length >= this.#wanted) {
      const all =
        this.#held.length === 1 && this.#held[0] !== undefined ? this.#held[0] : Buffer.concat(this.#held);
      const end = HEAD + all.readUInt32BE(1);
      if (end > MOST) throw new Error(`A message of ${end} bytes is no message of envd.`);
      const isWhole = all.length >= end;
      const rest = isWhole ? all.subarray(end) : all;
      this.#held = [rest];
      this.#length = rest.length;
      this.#wanted = isWhole ? HEAD : end;
      if (isWhole) yield { flags: all.readUInt8(0), body: all.subarray(HEAD, end) };
    }
  }
}
