import { ToolgateError } from "../../errors.ts";
import type { Change } from "../edit/apply.ts";
import { FileLines } from "../edit/fuzzy.ts";
import type { FileBytes } from "../edit/match.ts";
import { encodeFor } from "../file/text.ts";
import { counted } from "../read/notes.ts";

/** Lines to replace, from 1, or the line before which some are put. */
export interface LineEdit {
  readonly start: number;
  /** The last that is replaced; with {@link insert} none is. */
  readonly end: number;
  readonly insert: boolean;
  /** What stands there afterwards; an empty text in place of lines takes them away. */
  readonly text: string;
}

/**
 * The change that an edit by line numbers makes. New lines end as their neighbours do, and never run into one.
 * @throws ToolgateError `invalid_input` for lines that aren't there
 */
export function lineChange(file: FileBytes, edit: LineEdit, path: string): Change {
  const lines = new FileLines(file, file.codec.encoding.bom);
  const total = countLines(lines);
  const fresh = linesOf(edit);
  return edit.insert
    ? insertion(lines, total, edit, fresh, path)
    : replacement(lines, total, edit, fresh, path);
}

function replacement(
  lines: FileLines,
  total: number,
  { start, end }: LineEdit,
  fresh: readonly string[],
  path: string,
): Change {
  if (end > total) {
    throw new ToolgateError(
      "invalid_input",
      `${path} has ${counted(total, "line")}; there is no line ${end}.`,
      {
        hint: `To add lines at the end give start_line ${total + 1} with insert.`,
      },
    );
  }
  const { file } = lines;
  const from = lines.piece(start - 1).start;
  const which = start === end ? `line ${start}` : `lines ${start}–${end}`;
  if (fresh.length === 0) {
    // Taken away with its ending, so that no empty line is left.
    const to = end < lines.count ? lines.piece(end).start : file.bytes.length;
    const replacements = [{ start: from, end: to, bytes: Buffer.alloc(0) }];
    return { replacements, occurrences: 1, text: `Deleted ${which} of ${path}.` };
  }
  const bytes = encoded(file, fresh, endingAt(lines, start - 1), path);
  const replacements = [{ start: from, end: lines.piece(end - 1).end, bytes }];
  return {
    replacements,
    occurrences: 1,
    text: `Replaced ${which} of ${path} with ${counted(fresh.length, "line")}.`,
  };
}

function insertion(
  lines: FileLines,
  total: number,
  { start }: LineEdit,
  fresh: readonly string[],
  path: string,
): Change {
  if (start > total + 1) {
    throw new ToolgateError(
      "invalid_input",
      `${path} has ${counted(total, "line")}; lines can be put before line ${total + 1} at most, not before ${start}.`,
    );
  }
  const { file } = lines;
  const isLast = start === total + 1;
  const at = isLast ? file.bytes.length : lines.piece(start - 1).start;
  const ending = endingAt(lines, Math.max(0, Math.min(start, total) - 1));
  // A last line without an ending gets one first.
  const gap = isLast && total > 0 && total === lines.count ? ending : Buffer.alloc(0);
  const bytes = Buffer.concat([gap, encoded(file, fresh, ending, path), ending]);
  return {
    replacements: [{ start: at, end: at, bytes }],
    occurrences: 1,
    text: `Inserted ${counted(fresh.length, "line")} in ${path}, before line ${start}.`,
  };
}

/** What stands behind the last ending is a line only if there is something. */
function countLines(lines: FileLines): number {
  const { start, end } = lines.piece(lines.count - 1);
  return start === end ? lines.count - 1 : lines.count;
}

function linesOf({ text, insert }: LineEdit): readonly string[] {
  if (text === "" && !insert) return [];
  const lines = text.split(/\r?\n/);
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** The ending of a line, else that of the one before, else a newline. */
function endingAt(lines: FileLines, line: number): Buffer {
  const { file } = lines;
  for (const at of [line, line - 1]) {
    if (at < 0 || at + 1 >= lines.count) continue;
    return file.bytes.subarray(lines.piece(at).end, lines.piece(at + 1).start);
  }
  return file.returnsOnly ? file.cr : file.lf;
}

function encoded(file: FileBytes, lines: readonly string[], ending: Buffer, path: string): Buffer {
  const parts = lines.flatMap((line, at) => {
    const bytes = Buffer.from(encodeFor(file.codec, line, path));
    return at === 0 ? [bytes] : [ending, bytes];
  });
  return Buffer.concat(parts);
}
