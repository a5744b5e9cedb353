import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { CallContext } from "../tool.ts";
import type { GrepRequest } from "./grep-arguments.ts";
import { resultLines } from "./grep-results.ts";
import type { Found } from "./grep-search.ts";
import { unreadNotes } from "./ripgrep.ts";
import type { SearchRoot } from "./search-path.ts";

/** Characters of lines in one answer. */
const MAX_SHOWN = 100_000;

/** The page of results that was asked for, and what the model has to know about it. */
export function grepAnswer(
  found: Found,
  request: GrepRequest,
  root: SearchRoot,
  { signal }: CallContext,
  notes: readonly string[],
): ToolChunk {
  const all = resultLines(found.records, request, root);
  const { limit, offset } = request;
  const page = fitting(all.slice(offset, limit === 0 ? undefined : offset + limit));
  const text = [...page];
  if (all.length === 0) text.push(`No matches ${found.outOfTime ? "so far " : ""}for ${request.pattern}.`);
  else if (page.length === 0) text.push(`There are only ${all.length} lines; offset ${offset} is past them.`);
  text.push(...[...pageNotes(found, all.length, page.length, offset), ...notes].map((note) => `[${note}]`));
  return toolChunk({
    text: text.join("\n"),
    state: signal.aborted ? "interrupted" : "success",
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
