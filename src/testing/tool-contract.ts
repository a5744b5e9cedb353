import type { MaybePromise } from "../lib/json.ts";
import type { TestContext, TestRunner } from "./backend-contract.ts";
import type { ContractWorld } from "./contract/world.ts";
import { BASH_ROWS } from "./tools/bash-rows.ts";
import { FILE_ROWS } from "./tools/file-rows.ts";
import { SEARCH_ROWS } from "./tools/search-rows.ts";
import { type ToolRow, ToolWorld } from "./tools/world.ts";

const GROUPS: Readonly<Record<ToolContractGroup, readonly ToolRow[]>> = {
  commands: BASH_ROWS,
  files: FILE_ROWS,
  searches: SEARCH_ROWS,
};

/** A group of tools. */
export type ToolContractGroup = "commands" | "files" | "searches";

/** What a backend's own test says to the suite. */
export interface ToolContractOptions {
  readonly name: string;
  readonly runner: TestRunner;
  /** Called for every row; the suite disposes of what it gets. */
  readonly create: () => MaybePromise<ContractWorld>;
  /** Groups that can't be had there, each with the reason that is shown. */
  readonly skip?: Readonly<Partial<Record<ToolContractGroup, string>>>;
}

/** Holds the built-in tools for code to what they do, in the place of a backend: what works on this machine works there alike. */
export function toolContract({ name, runner, create, skip = {} }: ToolContractOptions): void {
  const leftOut = Object.entries(skip).map(([group, reason]) => `${group} (${reason})`);
  const title = leftOut.length === 0 ? "" : `, but for ${leftOut.join(", ")}`;
  runner.describe(`The built-in tools work in ${name}${title}`, () => {
    for (const [group, rows] of Object.entries(GROUPS)) {
      if (Object.hasOwn(skip, group)) continue;
      runner.describe(group, () => {
        for (const row of rows) runner.it(row.title, (context) => runRow(row, create, context));
      });
    }
  });
}

async function runRow(
  row: ToolRow,
  create: ToolContractOptions["create"],
  context: TestContext,
): Promise<void> {
  const world = await create();
  try {
    await using tools = new ToolWorld(world, (why) => context.skip(why));
    await row.test(tools);
  } finally {
    await world.backend[Symbol.asyncDispose]();
    await world.dispose?.();
  }
}
