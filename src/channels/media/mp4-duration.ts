/** How long an MP4 video is, in milliseconds, as its header says; `undefined` when it doesn't. */
export function mp4DurationMs(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const movie = box(file, "moov");
  const header = movie === undefined ? undefined : box(movie, "mvhd");
  if (header === undefined || header.length < 32) return undefined;
  // The second version counts in 64 bits.
  const isWide = header[0] === 1;
  const scale = header.readUInt32BE(isWide ? 20 : 12);
  const duration = isWide ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  return scale === 0 || duration === 0 ? undefined : Math.round((duration / scale) * 1000);
}

/** The content of the first box of a kind. */
function box(within: Buffer, kind: string): Buffer | undefined {
  let at = 0;
  while (at + 16 <= within.length) {
    const short = within.readUInt32BE(at);
    // A size of 1 says that it follows in 64 bits, 0 that the box goes on to the end.
    const size =
      short === 1 ? Number(within.readBigUInt64BE(at + 8)) : short === 0 ? within.length - at : short;
    const head = short === 1 ? 16 : 8;
    if (size < head) return undefined;
    if (within.toString("latin1", at + 4, at + 8) === kind) return within.subarray(at + head, at + size);
    at += size;
  }
  return undefined;
}
