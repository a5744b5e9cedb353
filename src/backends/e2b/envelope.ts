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

/** Finds the envelopes in a stream of bytes that is cut anywhere. Memory is that of the longest envelope, however many come. */
export class EnvelopeReader {
  /** What is there of an envelope that isn't whole yet. */
  #held: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;

  /** The envelopes that are whole with these bytes. Each is valid until the next is asked for. */
  *take(bytes: Buffer): Generator<Envelope> {
    let rest = bytes;
    while (this.#length > 0 && rest.length > 0) {
      const missing = this.#missing();
      rest = this.#hold(rest, missing);
      if (this.#missing() > 0) continue;
      const length = this.#length;
      this.#length = 0;
      if (length > 0) yield read(this.#held, length);
    }
    for (let end = endOf(rest); end <= rest.length; end = endOf(rest)) {
      yield read(rest, end);
      rest = rest.subarray(end);
    }
    if (rest.length > 0) this.#hold(rest, rest.length);
  }

  /** Bytes until the head, then the envelope is whole. */
  #missing(): number {
    if (this.#length < HEAD) return HEAD - this.#length;
    return endOf(this.#held.subarray(0, this.#length)) - this.#length;
  }

  #hold(bytes: Buffer, most: number): Buffer {
    const taken = Math.min(bytes.length, most);
    if (this.#length + taken > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#held.length * 2, this.#length + taken));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#length, 0, taken);
    this.#length += taken;
    return bytes.subarray(taken);
  }
}

/** Where the first envelope ends; past all that can be when its head isn't whole. */
function endOf(bytes: Buffer): number {
  if (bytes.length < HEAD) return Number.POSITIVE_INFINITY;
  const end = HEAD + bytes.readUInt32BE(1);
  if (end > MOST) throw new Error(`A message of ${end} bytes is no message of envd.`);
  return end;
}

function read(bytes: Buffer, end: number): Envelope {
  return { flags: bytes.readUInt8(0), body: bytes.subarray(HEAD, end) };
}
