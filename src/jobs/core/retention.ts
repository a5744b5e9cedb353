import { ToolgateError } from "../../errors.ts";
import type { Pruned, PruneOptions, RetentionOptions } from "../engine.ts";
import type { Ledger } from "../ledger.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long what has ended is kept. */
export type Retention = Required<RetentionOptions>;

/** Where it is kept on disk. */
export const ON_DISK: Retention = { keepEndedMs: 30 * DAY_MS, keepHistoryMs: 7 * DAY_MS };

/** Where it is kept in memory. */
export const IN_MEMORY: Retention = { keepEndedMs: DAY_MS, keepHistoryMs: HOUR_MS };

/** What was set, and the usual for the rest. @throws ToolgateError `usage` */
export function retentionOf({ keepEndedMs, keepHistoryMs }: RetentionOptions, usual: Retention): Retention {
  const retention: Retention = {
    keepEndedMs: keepEndedMs ?? usual.keepEndedMs,
    keepHistoryMs: keepHistoryMs ?? usual.keepHistoryMs,
  };
  for (const [name, ms] of Object.entries(retention)) {
    if (ms >= 0) continue;
    throw new ToolgateError("usage", `${name} is ${ms}: milliseconds from 0 on are expected, or Infinity.`);
  }
  return retention;
}

/** Removes trees of jobs that ended long enough ago, a page at a time. @throws ToolgateError `invalid_input` */
export async function prune(ledger: Ledger, { olderThanMs, dryRun = false }: PruneOptions): Promise<Pruned> {
  if (!(olderThanMs >= 0)) {
    throw new ToolgateError(
      "invalid_input",
      `olderThanMs is ${olderThanMs}: milliseconds from 0 on are expected.`,
    );
  }
  const beforeMs = Date.now() - olderThanMs;
  let jobs = 0;
  let after: string | undefined;
  do {
    const { trees, next } = await ledger.endedTrees(beforeMs, after);
    jobs += dryRun ? trees.flat().length : await ledger.forget(trees, beforeMs);
    after = next;
  } while (after !== undefined);
  return { jobs };
}
