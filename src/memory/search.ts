import { ToolgateError } from "../errors.ts";
import type { IndexFile } from "./index-file.ts";
import type { Layout } from "./layout.ts";
import { compile, type MemoryQuery, originSet } from "./query.ts";
import { countSet, type Ranking, rank } from "./rank.ts";
import { statsOf } from "./stats.ts";

/** With fewer entries than this that have the keywords as words, parts of words count too. */
const ENOUGH = 50;

/** Asks an index. @throws ToolgateError `invalid_input` when there is nothing that could be looked for */
export function searchIndex(index: IndexFile, layout: Layout, query: MemoryQuery, most: number): Ranking {
  const origin = originOf(layout, query);
  if (query.keywords.trim() === "") {
    if (origin === undefined) throw nothingToFind(query);
    return rank(index, { match: origin, count: countSet(index, origin), scope: undefined, worths: [], most });
  }
  const strict = compile(index, query, false);
  if (strict === undefined) throw nothingToFind(query);
  const some = within(origin, strict.match);
  const count = countSet(index, some);
  const { match, worths } = count >= ENOUGH ? strict : (compile(index, query, true) ?? strict);
  const found = within(origin, match);
  return rank(index, {
    match: found,
    count: found === some ? count : countSet(index, found),
    scope: query.mode === "and" ? found : origin,
    worths,
    most,
  });
}

function within(origin: string | undefined, match: string): string {
  return origin === undefined ? match : `(${origin}) AND (${match})`;
}

function originOf(layout: Layout, query: MemoryQuery): string | undefined {
  if (query.from === undefined && query.to === undefined) return originSet(query, { first: "", last: "" });
  return originSet(query, statsOf(layout).days ?? { first: "", last: "" });
}

function nothingToFind({ keywords }: MemoryQuery): ToolgateError {
  const what =
    keywords.trim() === "" ? "There are no keywords" : `Nothing in ${JSON.stringify(keywords)} is a word`;
  return new ToolgateError("invalid_input", `${what}, so there is nothing to search for.`, {
    hint: "Give words with blanks between them, or a source or a date.",
  });
}
