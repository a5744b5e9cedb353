import { isToolgateError, ToolgateError } from "../../errors.ts";
import { encodeFor, lineAt } from "../file/text.ts";
import { counted } from "../read/notes.ts";
import { FileLines, type NearMatch, unicodeMatches } from "./fuzzy.ts";
import { indentMatches } from "./indent.ts";
import { exactMatches, type FileBytes, lineMatches, type Match } from "./match.ts";
import { explainNoMatch } from "./nearest.ts";

/** Above this size nothing but the text itself is searched for, in bytes. */
const MAX_FUZZY_BYTES = 4 * 1024 * 1024;
/** Replacements in one call. */
const MAX_MATCHES = 1_000_000;
/** Line numbers named when a text is there several times. */
const NAMED_LINES = 20;

/** What is to be replaced by what. */
export interface EditRequest {
  readonly path: string;
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

/** Where and how a text is replaced. */
export interface Found {
  readonly matches: readonly Match[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly carry?: (line: string) => string;
  /** What the match differs in from the old text, in words for the answer. */
  readonly tolerated?: string;
}

/**
 * Finds the places to replace: the text itself with any line endings, else, if there is exactly one, a place that
 * differs only in Unicode form or by a uniform indent.
 * @throws ToolgateError `no_match` with what is nearest, `ambiguous_match` with the lines
 */
export function findMatches(file: FileBytes, request: EditRequest): Found {
  const found = asWritten(file, request) ?? withAnyEndings(file, request);
  if (found !== undefined) {
    if (found.matches.length > 1 && !request.all) throw ambiguous(file, found.matches, request.path);
    return found;
  }
  if (file.bytes.length > MAX_FUZZY_BYTES) {
    throw new ToolgateError("no_match", `old_string was not found in ${request.path}.`, {
      hint: "The file is too large to look for something near it; Grep finds the lines.",
    });
  }
  return findNear(file, request);
}

/** Text that holds returns is taken literally, new text included, if it is there so. */
function asWritten(file: FileBytes, request: EditRequest): Found | undefined {
  if (!request.old.includes("\r")) return undefined;
  const wanted = bytesOf(file, request.old, request.path);
  const matches = wanted === undefined ? [] : take(exactMatches(file, wanted), request.path);
  return matches.length === 0 ? undefined : { matches, before: [request.old], after: [request.new] };
}

function withAnyEndings(file: FileBytes, request: EditRequest): Found | undefined {
  const before = linesOf(request.old);
  const wanted: Buffer[] = [];
  for (const line of before) {
    const bytes = bytesOf(file, line, request.path);
    if (bytes === undefined) return undefined;
    wanted.push(bytes);
  }
  const matches = take(lineMatches(file, wanted), request.path);
  if (matches.length === 0) return undefined;
  if (!request.old.includes("\r")) return { matches, before, after: request.new.split("\n") };
  return { matches, before, after: linesOf(request.new), tolerated: "line endings" };
}

/** The bytes that a text would have in the file; `undefined` when its encoding lacks a character, so that it can't be there. */
function bytesOf(file: FileBytes, text: string, path: string): Buffer | undefined {
  try {
    return Buffer.from(encodeFor(file.codec, text, path));
  } catch (error) {
    if (isToolgateError(error, "invalid_input")) return undefined;
    throw error;
  }
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/);
}

function take(matches: Iterable<Match>, path: string): readonly Match[] {
  const taken: Match[] = [];
  for (const match of matches) {
    if (taken.length >= MAX_MATCHES) {
      throw new ToolgateError(
        "too_large",
        `old_string occurs more than ${counted(MAX_MATCHES, "time")} in ${path}.`,
        { hint: "Use sed in Bash for this." },
      );
    }
    taken.push(match);
  }
  return taken;
}

function findNear(file: FileBytes, request: EditRequest): Found {
  const before = linesOf(request.old);
  const after = linesOf(request.new);
  const lines = new FileLines(file, file.codec.encoding.bom);
  const ways: readonly { readonly tolerated: string; readonly find: () => readonly NearMatch[] }[] = [
    { tolerated: "Unicode form", find: () => unicodeMatches(lines, before) },
    { tolerated: "indentation", find: () => indentMatches(lines, before, after) },
  ];
  for (const { tolerated, find } of ways) {
    const [near, ...others] = find();
    if (near === undefined) continue;
    if (others.length > 0) throw severalNear(file, [near, ...others], tolerated, request.path);
    return { matches: [near.match], before, after, carry: near.carry, tolerated };
  }
  throw new ToolgateError("no_match", `old_string was not found in ${request.path}.`, {
    hint: explainNoMatch(lines, before),
  });
}

function ambiguous(file: FileBytes, matches: readonly Match[], path: string): ToolgateError {
  return new ToolgateError(
    "ambiguous_match",
    `old_string occurs ${counted(matches.length, "time")} in ${path}: ${linesAt(file, matches)}.`,
    { hint: "Give more of the text around the one you mean, or set replace_all." },
  );
}

function severalNear(
  file: FileBytes,
  near: readonly NearMatch[],
  tolerated: string,
  path: string,
): ToolgateError {
  const places = linesAt(
    file,
    near.map(({ match }) => match),
  );
  return new ToolgateError(
    "ambiguous_match",
    `old_string is not in ${path} as given; but for ${tolerated} it matches ${near.length} places: ${places}.`,
    { hint: "Copy the text exactly, with more of what is around the place you mean." },
  );
}

function linesAt(file: FileBytes, matches: readonly Match[]): string {
  const shown = matches.slice(0, NAMED_LINES).map(([{ start }]) => lineAt(file.codec, file.bytes, start));
  const more = matches.length > shown.length ? ` and ${matches.length - shown.length} more` : "";
  return `${shown.length === 1 ? "line" : "lines"} ${shown.join(", ")}${more}`;
}
