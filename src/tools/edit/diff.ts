import type { JsonObject } from "../../lib/json.ts";
import { lineAt } from "../file/text.ts";
import { diffMetadata } from "../file/unified-diff.ts";
import type { FileBytes } from "./match.ts";
import { type Replacement, splicedWhole } from "./splice.ts";

/** Bytes round the change that are compared. */
const MAX_REGION = 512 * 1024;
/** Lines of context in a diff. */
const CONTEXT = 3;

/** Metadata with the diff of the part that changed, so that a large file isn't compared as a whole. */
export async function changeOf(
  file: FileBytes,
  replacements: readonly Replacement[],
  path: string,
): Promise<JsonObject> {
  const [first, last] = [replacements[0], replacements.at(-1)];
  if (first === undefined || last === undefined) return {};
  const { bytes, codec } = file;
  // Wide encodings and lone returns are compared whole: their files are small, or the diff is left out.
  const plain = codec.encoding.unit === 1 && !file.returnsOnly;
  const from = plain ? lineStartBefore(bytes, first.start, CONTEXT) : codec.encoding.bom;
  const to = plain ? lineEndAfter(bytes, last.end, CONTEXT) : bytes.length;
  if (to - from > MAX_REGION) return { diffOmitted: "too large to compare" };
  const moved = replacements.map(({ start, end, bytes: fresh }) => ({
    start: start - from,
    end: end - from,
    bytes: fresh,
  }));
  const region = bytes.subarray(from, to);
  return diffMetadata({
    path,
    before: codec.decode(region),
    after: codec.decode(splicedWhole(region, moved)),
    linesBefore: plain ? lineAt(codec, bytes, from) - 1 : 0,
  });
}

/** The start of the line that is so many lines above the one with an offset. */
function lineStartBefore(bytes: Buffer, offset: number, lines: number): number {
  let at = offset;
  for (let count = 0; count <= lines; count += 1) {
    // The newline before a line's start ends the line above. A search from before 0 would begin at the end.
    const from = count === 0 ? at - 1 : at - 2;
    if (from < 0) return 0;
    at = bytes.lastIndexOf(10, from) + 1;
  }
  return at;
}

/** The end of the line that is so many lines below the one with an offset, its newline included. */
function lineEndAfter(bytes: Buffer, offset: number, lines: number): number {
  let at = offset;
  for (let count = 0; count <= lines; count += 1) {
    const newline = bytes.indexOf(10, at);
    if (newline < 0) return bytes.length;
    at = newline + 1;
  }
  return at;
}
