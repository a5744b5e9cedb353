import type { MaybePromise } from "../lib/json.ts";
import type { TestRunner } from "./backend-contract.ts";
import { APPROVAL_ROWS } from "./store/approval-rows.ts";
import { CALL_ROWS } from "./store/call-rows.ts";
import { DAMAGE_ROWS } from "./store/damage-rows.ts";
import { SESSION_ROWS } from "./store/session-rows.ts";
import { SHARING_ROWS } from "./store/sharing-rows.ts";
import { type StoreNeed, StorePlace, type StoreRow, type StoreWorld } from "./store/world.ts";

export type { StoreNeed, StoreWorld } from "./store/world.ts";

const GROUPS: Readonly<Record<string, readonly StoreRow[]>> = {
  sessions: SESSION_ROWS,
  questions: APPROVAL_ROWS,
  calls: CALL_ROWS,
  "several processes": SHARING_ROWS,
  "damaged data": DAMAGE_ROWS,
};

/** What a store's own test says to the suite. */
export interface StoreContractOptions {
  readonly name: string;
  readonly runner: TestRunner;
  /** Called for every row. */
  readonly create: () => MaybePromise<StoreWorld>;
  /** What this store's worlds don't have, each with the reason that is shown. */
  readonly without?: Readonly<Partial<Record<StoreNeed, string>>>;
}

/** Holds a store to every promise in `Store`. What it can't have is left out and named with its reason in the suite's title. */
export function storeContract(options: StoreContractOptions): void {
  const { name, runner, create, without = {} } = options;
  const reasons = [...new Set(Object.values(without))];
  const title = reasons.length === 0 ? "" : `, but for some: ${reasons.join("; ")}`;
  runner.describe(`${name} keeps the promises of a store${title}`, () => {
    for (const [group, all] of Object.entries(GROUPS)) {
      const rows = all.filter(({ needs }) => needs === undefined || without[needs] === undefined);
      if (rows.length === 0) continue;
      runner.describe(group, () => {
        for (const row of rows) runner.it(row.title, () => runRow(row, create));
      });
    }
  });
}

async function runRow(row: StoreRow, create: StoreContractOptions["create"]): Promise<void> {
  const world = await create();
  const place = new StorePlace(world);
  try {
    await row.test(place);
  } finally {
    await place.close();
    await world.dispose?.();
  }
}
