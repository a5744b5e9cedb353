import type { IndexFile } from "./index-file.ts";
import { stemOf } from "./word-forms.ts";
import { dayWords, FIRST_MARK, folded, pairs, partsOf, segments, single, sourceWord } from "./words.ts";

/** Whether one keyword is enough, or all have to be there. */
export type MatchMode = "or" | "and";

/** What is looked for. */
export interface MemoryQuery {
  /** Parted by blanks. Only what origin they have counts when there are none. */
  readonly keywords: string;
  readonly mode: MatchMode;
  readonly source?: string | undefined;
  /** `YYYY-MM-DD`, the day itself included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A set of entries, in FTS5's language, and what being in it is worth. */
export interface Worth {
  readonly set: string;
  /** A share of what the keyword is worth, which depends on how rare it is. */
  readonly share: number;
}

/** A keyword as sets of entries. */
interface Keyword {
  /** Entries that have it. */
  readonly match: string;
  readonly worths: readonly Worth[];
}

/** Words of which a part is looked for, at most. */
const EXPANSIONS = 64;

/** A set of entries in FTS5's language: those with a word. */
function having(word: string): string {
  return `"${word.replaceAll('"', '""')}"`;
}

function all(sets: readonly string[]): string {
  return sets.length === 1 ? (sets[0] ?? "") : `(${sets.join(" AND ")})`;
}

/** Entries that are in one of the sets. */
export function any(sets: readonly string[]): string {
  const each = [...new Set(sets)];
  return each.length === 1 ? (each[0] ?? "") : `(${each.join(" OR ")})`;
}

/** The entries of the days and the source that are asked for; `undefined` where all are. */
export function originSet(
  { source, from, to }: MemoryQuery,
  span: { readonly first: string; readonly last: string },
): string | undefined {
  const sets: string[] = [];
  if (source !== undefined) sets.push(having(sourceWord(source)));
  if (from !== undefined || to !== undefined) {
    const first = from === undefined || from < span.first ? span.first : from;
    const last = to === undefined || to > span.last ? span.last : to;
    const days = dayWords(first, last);
    sets.push(days.length === 0 ? NOTHING : any(days.map(having)));
  }
  return sets.length === 0 ? undefined : all(sets);
}

/** No entry has it. */
const NOTHING: string = having(FIRST_MARK);

/**
 * Which entries a query finds: those with its keywords as words, in English also other forms of them, in Chinese as they stand or, with
 * `loose`, by the words they are made of. `loose` takes in words that a keyword is only a part of, too. `undefined` when no keyword
 * has anything that could be looked for.
 */
export function compile(
  index: IndexFile,
  { keywords, mode }: MemoryQuery,
  loose: boolean,
): { readonly match: string; readonly worths: readonly Worth[] } | undefined {
  const read = keywordsOf(keywords).flatMap((keyword) => readKeyword(index, keyword, { mode, loose }) ?? []);
  if (read.length === 0) return undefined;
  const matches = read.map(({ match }) => match);
  const match = mode === "and" ? all(matches) : any(matches);
  // What all that are found have in common doesn't tell them apart.
  const shared = new Set(mode === "and" ? matches : [match]);
  const worths = read.flatMap((keyword) => keyword.worths).filter(({ set }) => !shared.has(set));
  return { match, worths };
}

/** Keywords beyond this many, and characters of one, add nothing but work. */
const MOST_KEYWORDS = 24;
const KEYWORD_CHARS = 64;

/** The keywords of a text, each once. */
export function keywordsOf(text: string): readonly string[] {
  const words = folded(text)
    .split(/\s+/u)
    .filter((word) => word !== "")
    .slice(0, 10 * MOST_KEYWORDS)
    .map((word) => [...word.slice(0, 2 * KEYWORD_CHARS)].slice(0, KEYWORD_CHARS).join(""));
  return [...new Set(words)].slice(0, MOST_KEYWORDS);
}

interface Manner {
  readonly mode: MatchMode;
  readonly loose: boolean;
}

function readKeyword(index: IndexFile, keyword: string, manner: Manner): Keyword | undefined {
  const { words, runs, compounds } = partsOf(keyword);
  const pieces = [
    ...words.map((word) => wordPiece(index, word, manner)),
    ...runs.map((run) => runPiece(run, manner)),
  ];
  const [first] = pieces;
  if (first === undefined) return undefined;
  if (compounds.length === 0 && pieces.length === 1) return keywordOf([first]);
  const together = compounds.map(having);
  // `c++` is more than its letter; what several words make up is found by these as well.
  if (pieces.length === 1) return keywordOf([{ match: all(together), others: [] }]);
  const parted = manner.loose ? compounds.flatMap((compound) => partSets(index, compound)) : [];
  return keywordOf([
    {
      ...(together.length === 0 ? {} : { exact: all(together) }),
      match: all(pieces.map(({ match }) => match)),
      loose: any([all(pieces.map(({ match, loose }) => loose ?? match)), ...parted]),
      others: pieces.flatMap(({ others }) => others),
    },
  ]);
}

/** A word or a run of a keyword, as sets from the narrowest to the widest. */
interface Piece {
  readonly exact?: string;
  readonly match: string;
  readonly loose?: string;
  /** What counts by itself, though it isn't all of it. */
  readonly others: readonly string[];
}

function keywordOf(pieces: readonly Piece[]): Keyword {
  const worths: Worth[] = [];
  const matches: string[] = [];
  for (const { exact, match, loose, others } of pieces) {
    matches.push(loose ?? match, ...others);
    if (exact !== undefined && exact !== "") worths.push({ set: exact, share: 0.3 });
    worths.push({ set: match, share: loose === undefined && others.length === 0 ? 1 : 0.5 });
    if (loose !== undefined && loose !== match) worths.push({ set: loose, share: 0.5 });
    for (const other of others) worths.push({ set: other, share: 0.4 });
  }
  return { match: any(matches), worths };
}

/** A word of a script with blanks: itself, its other forms, and words that it is a part of. */
function wordPiece(index: IndexFile, word: string, { loose }: Manner): Piece {
  const exact = having(word);
  const forms = formsOf(index, word).map(having);
  const match = any([exact, ...forms]);
  const parts = loose ? partSets(index, word) : [];
  return {
    ...(forms.length === 0 ? {} : { exact }),
    match,
    ...(parts.length === 0 ? {} : { loose: any([exact, ...forms, ...parts]) }),
    others: [],
  };
}

/** Other words with the same stem. */
function formsOf(index: IndexFile, word: string): readonly string[] {
  const stem = stemOf(word);
  if (!/^[a-z]{3,}$/.test(stem)) return [];
  const near = index.rows(
    "SELECT word FROM word WHERE word >= ? AND word < ? AND length(word) <= ? LIMIT 500",
    stem,
    `${stem}{`,
    stem.length + 6,
  );
  return near
    .map((row) => String(row.word))
    .filter((other) => other !== word && stemOf(other) === stem)
    .slice(0, 16);
}

/** Words that a text is a part of, the newest first; of very short ones only those that begin with it. */
function partSets(index: IndexFile, text: string): readonly string[] {
  const length = [...text].length;
  if (length < 2) return [];
  const rows =
    length < 3
      ? index.rows(
          "SELECT word FROM word WHERE word > ? AND word < ? LIMIT ?",
          text,
          text + FIRST_MARK,
          EXPANSIONS,
        )
      : index.rows(
          "SELECT word FROM part WHERE part MATCH ? AND instr(word, ?) ORDER BY rowid DESC LIMIT ?",
          trigrams(text).map(having).join(" AND "),
          text,
          EXPANSIONS,
        );
  return rows.map(({ word }) => String(word)).flatMap((word) => (word === text ? [] : [having(word)]));
}

function trigrams(text: string): readonly string[] {
  const characters = [...text];
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
}

/** Characters of a dense script: as they stand, and by the words they are made of. */
function runPiece(run: string, { mode, loose }: Manner): Piece {
  const match = runSet(run);
  const words = segments(run);
  const exact = words.length === 1 && run.length > 1 ? { exact: having(run) } : {};
  if (words.length < 2 || !loose) return { ...exact, match, others: [] };
  const long = words.filter((word) => [...word].length > 1);
  const sets = (long.length > 0 ? long : words).map(runSet);
  return mode === "and"
    ? { ...exact, match, loose: any([match, all(sets)]), others: [] }
    : { ...exact, match, others: sets };
}

/** Entries with these characters one behind the other: with each two of them that follow each other. */
function runSet(run: string): string {
  const characters = [...run];
  return characters.length === 1 ? having(single(run)) : all(pairs(run).map(having));
}
