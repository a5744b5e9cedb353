import type { MaybePromise } from "../lib/json.ts";
import { CONFINING_ROWS } from "./contract/confining.ts";
import { HEAVY_ROWS } from "./contract/heavy.ts";
import { LINK_ROWS } from "./contract/links.ts";
import { OUTPUT_ROWS } from "./contract/output.ts";
import { READING_ROWS } from "./contract/reading.ts";
import { plantSecret, RUNNING_ROWS } from "./contract/running.ts";
import { STOPPING_ROWS } from "./contract/stopping.ts";
import { type ContractRow, type ContractWorld, RowWorld } from "./contract/world.ts";
import { WRITING_ROWS } from "./contract/writing.ts";

export type { ContractWorld } from "./contract/world.ts";

const GROUPS: Readonly<Record<ContractGroup, readonly ContractRow[]>> = {
  reading: READING_ROWS,
  writing: WRITING_ROWS,
  links: LINK_ROWS,
  "large files": HEAVY_ROWS,
  running: RUNNING_ROWS,
  output: OUTPUT_ROWS,
  stopping: STOPPING_ROWS,
  confining: CONFINING_ROWS,
};

/** A group of promises. */
export type ContractGroup =
  | "reading"
  | "writing"
  | "links"
  | "large files"
  | "running"
  | "output"
  | "stopping"
  | "confining";

/** What a running test is given: Vitest's and `node:test`'s contexts both fit. */
export interface TestContext {
  skip(why?: string): void;
}

/** The part of a test runner that the suite needs: Vitest's and `node:test`'s both fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: (context: TestContext) => Promise<void>): unknown;
}

/** What a backend's own test says to the suite. */
export interface BackendContractOptions {
  readonly name: string;
  readonly runner: TestRunner;
  /** Called for every row; the suite disposes of what it gets. */
  readonly create: () => MaybePromise<ContractWorld>;
  /** Groups that this backend can't have, each with the reason that is shown. */
  readonly skip?: Readonly<Partial<Record<ContractGroup, string>>>;
  /** The groups to hold it to. @default all */
  readonly only?: readonly ContractGroup[];
}

/**
 * Holds a backend to every promise in `Backend`. Groups that this backend can't have are left out and named with their
 * reason in the suite's title. A row takes up to ten seconds on a slow machine.
 */
export function backendContract(options: BackendContractOptions): void {
  const { name, runner, create, skip = {}, only } = options;
  const wanted = new Set<string>(only ?? Object.keys(GROUPS));
  const leftOut = Object.entries(skip).map(([group, reason]) => `${group} (${reason})`);
  const title = leftOut.length === 0 ? "" : `, but for ${leftOut.join(", ")}`;
  runner.describe(`${name} keeps the promises of a backend${title}`, () => {
    for (const [group, rows] of Object.entries(GROUPS)) {
      if (!wanted.has(group) || Object.hasOwn(skip, group)) continue;
      runner.describe(group, () => {
        for (const row of rows) runner.it(row.title, (context) => runRow(row, create, context));
      });
    }
  });
}

async function runRow(
  row: ContractRow,
  create: BackendContractOptions["create"],
  context: TestContext,
): Promise<void> {
  const takeAway = plantSecret();
  try {
    const world = await create();
    try {
      await row.test(new RowWorld(world, (why) => context.skip(why)));
    } finally {
      await world.backend[Symbol.asyncDispose]();
      await world.dispose?.();
    }
  } finally {
    takeAway();
  }
}
