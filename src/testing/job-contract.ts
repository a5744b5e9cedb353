import type { MaybePromise } from "../lib/json.ts";
import type { TestRunner } from "./backend-contract.ts";
import { CRASH_ROWS } from "./jobs/crash-rows.ts";
import { EVENT_ROWS } from "./jobs/event-rows.ts";
import { LIFE_ROWS } from "./jobs/life-rows.ts";
import { RETENTION_ROWS } from "./jobs/retention-rows.ts";
import { STEP_ROWS } from "./jobs/step-rows.ts";
import { TREE_ROWS } from "./jobs/tree-rows.ts";
import { type JobNeed, JobPlace, type JobRow, type JobWorld } from "./jobs/world.ts";

export { registerScripts, SCRIPT_QUEUES } from "./jobs/script.ts";
export type { JobNeed, JobWorker, JobWorld } from "./jobs/world.ts";

const GROUPS: Readonly<Record<string, readonly JobRow[]>> = {
  "a job's life": LIFE_ROWS,
  "steps and messages": STEP_ROWS,
  "trees and places": TREE_ROWS,
  "events and schedules": EVENT_ROWS,
  "what is kept": RETENTION_ROWS,
  crashes: CRASH_ROWS,
};

/** What an engine's own test says to the suite. */
export interface JobContractOptions {
  readonly name: string;
  readonly runner: TestRunner;
  /** Called for every row. May give the same engine each time. */
  readonly create: () => MaybePromise<JobWorld>;
  /** What this engine's worlds don't have, each with the reason that is shown. */
  readonly without?: Readonly<Partial<Record<JobNeed, string>>>;
}

/** Holds an engine to every promise in `JobEngine`. What it can't have is left out and named with its reason in the suite's title. */
export function jobContract(options: JobContractOptions): void {
  const { name, runner, create, without = {} } = options;
  const reasons = [...new Set(Object.values(without))];
  const title = reasons.length === 0 ? "" : `, but for some: ${reasons.join("; ")}`;
  runner.describe(`${name} keeps the promises of a job engine${title}`, () => {
    for (const [group, all] of Object.entries(GROUPS)) {
      const rows = all.filter(({ needs }) => needs === undefined || without[needs] === undefined);
      if (rows.length === 0) continue;
      runner.describe(group, () => {
        for (const row of rows) runner.it(row.title, () => runRow(row, create));
      });
    }
  });
}

async function runRow(row: JobRow, create: JobContractOptions["create"]): Promise<void> {
  const world = await create();
  const place = new JobPlace(world);
  try {
    await row.test(place);
  } finally {
    await place.close();
    await world.dispose?.();
  }
}
