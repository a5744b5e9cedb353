import type { MaybePromise } from "../lib/json.ts";
import type { TestContext, TestRunner } from "./backend-contract.ts";
import { PATH_ROWS } from "./escape/path-rows.ts";
import { PLACE_ROWS } from "./escape/place-rows.ts";
import { PROCESS_ROWS } from "./escape/process-rows.ts";
import { type EscapeNeed, type EscapeRow, EscapeRowWorld, type EscapeWorld } from "./escape/world.ts";

export type { EscapeNeed, EscapeWorld } from "./escape/world.ts";

const GROUPS: Readonly<Record<EscapeGroup, readonly EscapeRow[]>> = {
  paths: PATH_ROWS,
  processes: PROCESS_ROWS,
  "the place itself": PLACE_ROWS,
};

/** A group of ways out. */
export type EscapeGroup = "paths" | "processes" | "the place itself";

/** What a backend's own test says to the escape table. */
export interface EscapeContractOptions {
  readonly name: string;
  readonly runner: TestRunner;
  /** Called for every row; the suite disposes of what it gets. */
  readonly create: () => MaybePromise<EscapeWorld>;
  /** Groups that can't be had there, each with the reason that is shown. */
  readonly skip?: Readonly<Partial<Record<EscapeGroup, string>>>;
  /** What the place doesn't have, each with the reason that is shown: rows that need it are left out. */
  readonly lacks?: Readonly<Partial<Record<EscapeNeed, string>>>;
}

/**
 * Tries the ways out of a place, one a row. Each ends in a clear error, with the host untouched, nothing left running and
 * nothing left on disk. What only the implementer can do (cut the connection, take the place away, fill a disk, say which limits
 * are in force) is asked of the world; a row that misses something is skipped by name.
 */
export function escapeContract({ name, runner, create, skip = {}, lacks = {} }: EscapeContractOptions): void {
  const leftOut = Object.entries({ ...skip, ...lacks }).map(([group, reason]) => `${group} (${reason})`);
  const title = leftOut.length === 0 ? "" : `, but for ${leftOut.join(", ")}`;
  runner.describe(`There is no way out of ${name}${title}`, () => {
    for (const [group, rows] of Object.entries(GROUPS)) {
      if (Object.hasOwn(skip, group)) continue;
      runner.describe(group, () => {
        for (const row of rows.filter(({ needs }) => needs === undefined || !Object.hasOwn(lacks, needs)))
          runner.it(row.title, (context) => runRow(row, create, context));
      });
    }
  });
}

async function runRow(
  row: EscapeRow,
  create: EscapeContractOptions["create"],
  context: TestContext,
): Promise<void> {
  const world = await create();
  try {
    const place = new EscapeRowWorld(world, (why) => context.skip(why));
    await using _tools = place.tools;
    await row.test(place);
  } finally {
    await world.backend[Symbol.asyncDispose]();
    await world.dispose?.();
  }
}
