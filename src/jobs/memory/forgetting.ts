import type { Retention } from "../core/retention.ts";
import type { Schedule } from "../engine.ts";
import { FINAL_STATUSES } from "../job.ts";
import type { EndedTrees } from "../ledger.ts";
import type { Entry } from "./entry.ts";

/** Jobs that are kept at most, unless more than that go on: memory is all they have. */
const MAX_JOBS = 20_000;
const EVERY_MS = 60_000;

/** What a ledger in memory keeps. */
export interface Kept {
  readonly entries: Map<string, Entry>;
  readonly schedules: Map<string, Schedule>;
  /** Those of the jobs that wait. */
  readonly waiting: ReadonlySet<Entry>;
}

/** Forgets what was kept long enough. */
export class Forgetting {
  readonly #kept: Kept;
  readonly #retention: Retention;
  #lookedAtMs = 0;

  constructor(kept: Kept, retention: Retention) {
    this.#kept = kept;
    this.#retention = retention;
  }

  /** Looks now and then, and at once when there are too many. */
  tend(nowMs: number): void {
    const { entries } = this.#kept;
    if (entries.size > MAX_JOBS) this.#makeRoom(nowMs);
    const { keepEndedMs, keepHistoryMs } = this.#retention;
    const everyMs = Math.min(EVERY_MS, keepEndedMs, keepHistoryMs);
    if (nowMs - this.#lookedAtMs < everyMs) return;
    this.#lookedAtMs = nowMs;
    const beforeMs = nowMs - keepEndedMs;
    for (const tree of this.#over(beforeMs)) this.#drop(tree);
    for (const entry of entries.values()) {
      // One that failed or was cancelled may go on.
      if (entry.status === "completed" && endMs(entry) <= nowMs - keepHistoryMs) entry.events.length = 0;
    }
    this.#dropSchedules(beforeMs);
  }

  /** All trees that were over before a time, and that nobody waits for. */
  trees(beforeMs: number): EndedTrees["trees"] {
    return this.#over(beforeMs).map((tree) => tree.map(({ job }) => job.id));
  }

  /** Forgets trees, but for those of which a job has gone on since. */
  forget(trees: EndedTrees["trees"], beforeMs: number): number {
    const whole = new Map(this.#over(beforeMs).map((tree) => [tree[0]?.job.id, tree]));
    const found = trees.flatMap(([root]) => {
      const tree = whole.get(root);
      return tree === undefined ? [] : [tree];
    });
    for (const tree of found) this.#drop(tree);
    return found.flat().length;
  }

  /** Those that ended first go first. */
  #makeRoom(nowMs: number): void {
    const { entries } = this.#kept;
    const ended = this.#over(nowMs).map((tree) => ({ tree, atMs: Math.max(...tree.map(endMs)) }));
    for (const { tree } of ended.toSorted((a, b) => a.atMs - b.atMs)) {
      if (entries.size <= MAX_JOBS) return;
      this.#drop(tree);
    }
  }

  #over(beforeMs: number): readonly (readonly Entry[])[] {
    const { entries, waiting } = this.#kept;
    const awaited = new Set(
      [...waiting].flatMap(({ conditions }) => conditions.flatMap((one) => one.jobIds)),
    );
    const isOver = (entry: Entry): boolean =>
      FINAL_STATUSES.includes(entry.status) && endMs(entry) <= beforeMs && !awaited.has(entry.job.id);
    return [...entries.values()]
      .filter((entry) => entry.job.parentId === undefined && isOver(entry))
      .map(treeFrom)
      .filter((tree) => tree.every(isOver));
  }

  #drop(tree: readonly Entry[]): void {
    for (const { job } of tree) this.#kept.entries.delete(job.id);
  }

  #dropSchedules(beforeMs: number): void {
    const { schedules } = this.#kept;
    for (const { name, nextAt, lastAt, createdAt } of [...schedules.values()]) {
      if (nextAt === undefined && Date.parse(lastAt ?? createdAt) <= beforeMs) schedules.delete(name);
    }
  }
}

/** A job and all below it, the job first. */
export function treeFrom(entry: Entry): readonly Entry[] {
  const tree = [entry];
  // It grows while it is gone through.
  for (const { children } of tree) tree.push(...children);
  return tree;
}

function endMs({ finishedAt = "" }: Entry): number {
  return Date.parse(finishedAt);
}
