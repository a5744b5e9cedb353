import type { StructuredPatchHunk } from "diff";
import type { JsonObject } from "../../lib/json.ts";

/** Characters of one diff. */
const MAX_DIFF_CHARACTERS = 100_000;
/** Characters of text that are compared. */
const MAX_COMPARED = 1_000_000;
/** What a comparison may take. */
const TIMEOUT_MS = 300;

/** Two states of a file, or of a part of it. */
export interface Change {
  readonly path: string;
  /** `undefined` for a file that is new. */
  readonly before: string | undefined;
  readonly after: string;
  /** Lines of the file before the part that is given. @default 0 */
  readonly linesBefore?: number;
}

/** `{ diff }` in unified form for a call's metadata, or `{ diffOmitted }` with the reason. */
export async function diffMetadata(change: Change): Promise<JsonObject> {
  const { path, before, after, linesBefore = 0 } = change;
  if ((before?.length ?? 0) + after.length > MAX_COMPARED) return { diffOmitted: "too large to compare" };
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch(path, path, before ?? "", after, "", "", { context: 3, timeout: TIMEOUT_MS });
  if (patch === undefined) return { diffOmitted: "too different to compare" };
  const separator = path.startsWith("/") ? "" : "/";
  const head = [
    `--- ${before === undefined ? "/dev/null" : `a${separator}${path}`}`,
    `+++ b${separator}${path}`,
  ];
  const lines = [...head, ...patch.hunks.flatMap((hunk) => hunkLines(hunk, linesBefore))];
  const diff = `${lines.join("\n")}\n`;
  return diff.length > MAX_DIFF_CHARACTERS ? { diffOmitted: "too long to show" } : { diff };
}

function hunkLines(hunk: StructuredPatchHunk, shift: number): readonly string[] {
  // An empty range is named by the line before it.
  const range = (start: number, lines: number): string => `${start + shift - (lines === 0 ? 1 : 0)},${lines}`;
  return [
    `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
    ...hunk.lines,
  ];
}
