/** A request's body, or `undefined` when it has more bytes than that; then no more of it is read. */
export async function boundedBytes(request: Request, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The same as text. */
export async function boundedText(request: Request, maxBytes: number): Promise<string | undefined> {
  return (await boundedBytes(request, maxBytes))?.toString("utf8");
}
