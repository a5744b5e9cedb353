import { Transform, type TransformCallback } from "node:stream";

/** Bytes of one message: a Write of a large file is one. */
export const MAX_MESSAGE_BYTES: number = 32 * 1024 * 1024;

/**
 * Lets whole lines of JSON through and drops what can't be a message, so that one bad line doesn't end the connection. Each
 * dropped line is reported with a JSON-RPC error code and a sentence.
 */
export function lineGuard(
  report: (code: number, message: string) => void,
  maxBytes: number = MAX_MESSAGE_BYTES,
): Transform {
  let pieces: Buffer[] = [];
  let size = 0;
  const take = (piece: Buffer): void => {
    size += piece.length;
    if (size <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  const finish = (): Buffer | undefined => {
    const line = size <= maxBytes ? Buffer.concat(pieces) : undefined;
    if (line === undefined)
      report(-32600, `A message of ${size} bytes is too large; ${maxBytes} are the most.`);
    pieces = [];
    size = 0;
    if (line === undefined || line.every((byte) => byte <= 0x20)) return undefined;
    if (isJson(line)) return line;
    report(-32700, "This line is not JSON.");
    return undefined;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        take(chunk.subarray(start, end + 1));
        start = end + 1;
        const line = finish();
        if (line !== undefined) this.push(line);
      }
      if (start < chunk.length) take(chunk.subarray(start));
      done();
    },
  });
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
