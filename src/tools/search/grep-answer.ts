import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { CallContext } from "../../tool.ts";
import type { GrepRequest } from "./grep-arguments.ts";
import { barredPaths, resultLines } from "./grep-results.ts";
import type { Found } from "./grep-search.ts";
import { kernelDirectories, unreadNotes } from "./ripgrep.ts";
import type { SearchRoot } from "./search-path.ts";

/** Characters of lines in one answer. */
const MAX_SHOWN = 100_000;

const NONE: ReadonlySet<string> = new Set();

/** The page of results that was asked for, and what the model has to know about it. */
export async function grepAnswer(
  found: Found,
  request: GrepRequest,
  root: SearchRoot,
  context: CallContext,
  notes: readonly string[],
): Promise<ToolChunk> {
  // A single file was judged by its own path; below a directory each has to be looked at.
  const asks = context.mayRead !== undefined && root.isDirectory;
  const barred = asks ? await barredPaths(found.records, root, context) : NONE;
  const all = resultLines(found.records, request, root, barred);
  const { limit, offset } = request;
  const page = fitting(all.slice(offset, limit === 0 ? undefined : offset + limit));
  const text = [...page];
  const said = [...pageNotes(found, all.length, page.length, offset), ...notes];
  const unseen = kernelDirectories(root);
  if (unseen.length > 0) said.push(`Not searched: ${unseen.join(", ")}.`);
  // Said whether or not such a file matched: otherwise the answer would tell what it holds.
  if (asks && all.length === 0)
    said.push("Files that may not be read unasked, such as .env, are left out. Name one as path.");
  if (all.length === 0) text.push(`No matches ${found.outOfTime ? "so far " : ""}for ${request.pattern}.`);
  else if (page.length === 0) text.push(`There are only ${all.length} lines; offset ${offset} is past them.`);
  text.push(...said.map((note) => `[${note}]`));
  return toolChunk({
    text: text.join("\n"),
    state: context.signal.aborted ? "interrupted" : "success",
    metadata: { lines: page.length, total: all.length, complete: !found.full && !found.outOfTime },
  });
}

function pageNotes(found: Found, total: number, shown: number, offset: number): readonly string[] {
  const { full, outOfTime, budgetMs, unread } = found;
  const notes: string[] = [];
  if (shown > 0 && shown < total) {
    const next = offset + shown;
    const more = next < total ? ` The next start at offset: ${next}.` : "";
    notes.push(`Lines ${offset + 1} to ${next} of ${full || outOfTime ? "at least " : ""}${total}.${more}`);
  }
  if (full) {
    notes.push(
      "The search was stopped at 4 MB of results, so these are not all. Narrow the pattern, glob or path.",
    );
  }
  if (outOfTime) {
    notes.push(
      `The search was stopped after ${budgetMs / 1000} s, so these are not all. Narrow the path, glob or type.`,
    );
  }
  return [...notes, ...unreadNotes(unread)];
}

/** As many lines as an answer holds. */
function fitting(lines: readonly string[]): readonly string[] {
  let size = 0;
  const end = lines.findIndex((line) => {
    size += line.length + 1;
    return size > MAX_SHOWN;
  });
  return end < 0 ? lines : lines.slice(0, Math.max(1, end));
}
