import type { IndexFile } from "./index-file.ts";
import { rowOf } from "./layout.ts";
import type { Worth } from "./query.ts";

/** Rows of rare sets that are looked at one by one. */
const FEW = 2000;
/** Where counting ends. */
const MOST_COUNTED = 50_000;
/** Common sets of which each combination is tried. */
const COMBINED = 4;

/** What a search came to. */
export interface Ranking {
  /** The best first; of equals the newest. */
  readonly rows: readonly number[];
  /** How many match, up to {@link MOST_COUNTED}. */
  readonly total: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
}

/** Counts the entries of a set, up to one more than are told. */
export function countSet(index: IndexFile, set: string): number {
  const sql = "SELECT count(*) AS n FROM (SELECT 1 FROM entry WHERE entry MATCH ? LIMIT ?)";
  return Number(index.row(sql, set, MOST_COUNTED + 1)?.n);
}

/** The newest entries of a set. */
function newest(index: IndexFile, set: string, most: number): readonly number[] {
  const sql = "SELECT rowid AS at FROM entry WHERE entry MATCH ? ORDER BY rowid DESC LIMIT ?";
  return index.rows(sql, set, most).map(({ at }) => Number(at));
}

/** A set with what being in it adds to an entry's score. */
interface Weighed {
  readonly set: string;
  readonly weight: number;
  /** Counted up to {@link FEW} + 1. */
  readonly count: number;
}

/** What to rank. */
interface Wanted {
  /** The entries that are found. */
  readonly match: string;
  /** How many they are, by {@link countSet}. */
  readonly count: number;
  /** What every one of the sets below has to be cut with; `undefined` where they are parts of `match` by themselves. */
  readonly scope: string | undefined;
  readonly worths: readonly Worth[];
  readonly most: number;
}

/** The part of a set that counts. */
function within(scope: string | undefined, ...sets: readonly string[]): string {
  const parts = new Set(scope === undefined ? sets : [scope, ...sets]);
  return [...parts].map((part) => `(${part})`).join(" AND ");
}

/**
 * Orders the entries of `match`: those in more and rarer sets come first, of equals the newest. Entries of rare sets are scored one by
 * one; for what common words alone decide, combinations of them are asked for from the best down, so that it takes about the same
 * time however many entries there are.
 */
export function rank(index: IndexFile, { match, count, scope, worths, most }: Wanted): Ranking {
  const total = Math.min(count, MOST_COUNTED);
  const isMore = count > MOST_COUNTED;
  if (total === 0 || most === 0) return { rows: [], total, isMore };
  const { rare, common } = parted(weighed(index, scope, worths));
  const scores = scoreRare(index, scope, rare, common);
  scoreCommon(index, scope, { common, scores, most });
  if (scores.size < most) {
    for (const row of newest(index, match, most + scores.size)) if (!scores.has(row)) scores.set(row, 0);
  }
  const ordered = [...scores].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a);
  return { rows: ordered.slice(0, most).map(([row]) => row), total, isMore };
}

/** Scores are whole numbers: what adds up in another order is the same. */
const UNIT = 1_000_000;

function weighed(index: IndexFile, scope: string | undefined, worths: readonly Worth[]): readonly Weighed[] {
  const { entries, rows, high } = extent(index);
  const one = new Map<string, number>();
  for (const { set, share } of worths) one.set(set, Math.max(share, one.get(set) ?? 0));
  return [...one].map(([set, share]) => {
    const sql =
      "SELECT count(*) AS n, min(at) AS low FROM (SELECT rowid AS at FROM entry WHERE entry MATCH ? ORDER BY rowid DESC LIMIT ?)";
    const found = index.row(sql, within(scope, set), FEW + 1);
    const count = Number(found?.n);
    // Of a common one it is known how densely it lies among the newest.
    const part = (high - Number(found?.low)) / rows;
    const estimate = count > FEW ? count / part : count;
    const rarity = Math.log(1 + entries / Math.max(1, estimate));
    return { set, weight: Math.round(share * rarity * UNIT), count };
  });
}

/** How many entries there are, and the rows they lie in. */
function extent(index: IndexFile): {
  readonly entries: number;
  readonly rows: number;
  readonly high: number;
} {
  const row = index.row("SELECT sum(entries) AS n, min(id) AS low, max(id) AS high FROM block");
  const [low, high] = [rowOf(Number(row?.low), 0), rowOf(Number(row?.high) + 1, 0)];
  return { entries: Number(row?.n), rows: high - low, high };
}

function parted(sets: readonly Weighed[]): {
  readonly rare: readonly Weighed[];
  readonly common: readonly Weighed[];
} {
  const rare: Weighed[] = [];
  const common: Weighed[] = [];
  let left = FEW;
  for (const set of sets.toSorted((a, b) => a.count - b.count)) {
    left -= set.count;
    (left >= 0 ? rare : common).push(set);
  }
  return { rare, common: common.toSorted((a, b) => b.weight - a.weight) };
}

function scoreRare(
  index: IndexFile,
  scope: string | undefined,
  rare: readonly Weighed[],
  common: readonly Weighed[],
): Map<number, number> {
  const scores = new Map<number, number>();
  const add = (set: string, weight: number): void => {
    for (const row of newest(index, set, FEW)) scores.set(row, (scores.get(row) ?? 0) + weight);
  };
  for (const { set, weight } of rare) add(within(scope, set), weight);
  if (scores.size === 0) return scores;
  const anyRare = rare.map(({ set }) => `(${set})`).join(" OR ");
  for (const { set, weight } of common) add(within(scope, anyRare, set), weight);
  return scores;
}

/** Adds the best of those entries that are in common sets only. */
function scoreCommon(
  index: IndexFile,
  scope: string | undefined,
  {
    common,
    scores,
    most,
  }: { readonly common: readonly Weighed[]; readonly scores: Map<number, number>; readonly most: number },
): void {
  const known = new Set(scores.keys());
  const combined = common.slice(0, COMBINED);
  let found = 0;
  for (const sets of combinations(combined)) {
    const score = sets.reduce((sum, { weight }) => sum + weight, 0);
    const inAll = within(scope, ...sets.map(({ set }) => set));
    for (const row of newest(index, inAll, most + found)) {
      if (scores.has(row)) continue;
      scores.set(row, score);
      found += 1;
    }
    if (found >= most || beaten(scores, known, score, most)) return;
  }
}

/** So many of the rare ones are better than what is still to come that it needn't be looked for. */
function beaten(
  scores: ReadonlyMap<number, number>,
  known: ReadonlySet<number>,
  score: number,
  most: number,
): boolean {
  let better = 0;
  for (const row of known) if ((scores.get(row) ?? 0) > score) better += 1;
  return better >= most;
}

/** All combinations of some sets, the weightiest first. */
function combinations(sets: readonly Weighed[]): readonly (readonly Weighed[])[] {
  const found: (readonly Weighed[])[] = [];
  for (let mask = 1; mask < 2 ** sets.length; mask += 1) {
    found.push(sets.filter((_, at) => (mask & (1 << at)) !== 0));
  }
  const weight = (some: readonly Weighed[]): number => some.reduce((sum, one) => sum + one.weight, 0);
  return found.sort((a, b) => weight(b) - weight(a));
}
