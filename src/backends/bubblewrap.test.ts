import { chownSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { has } from "../../test/require.ts";
import { type SmallDisk, smallDisk } from "../../test/small-disk.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { escapeContract } from "../testing/escape-contract.ts";
import { toolContract } from "../testing/tool-contract.ts";
import { sandboxWorld } from "./bubblewrap/fixtures/world.ts";

const runner = { describe, it };
const name = "a bubblewrap sandbox";
const ORDINARY = 65_534;

describe.skipIf(!has("bwrap"))("with bubblewrap", () => {
  backendContract({
    name: "The bubblewrap backend",
    runner,
    // The rows about confinement need a network to do without.
    create: () => sandboxWorld({ network: true }),
  });
  toolContract({ name, runner, create: () => sandboxWorld({}) });
  escapeContract({
    name,
    runner,
    async create() {
      const memoryBytes = 256 * 1024 * 1024;
      const limits = { memoryBytes, processes: 60 };
      let small: SmallDisk | undefined;
      const world = await sandboxWorld({ limits }, async (folder) => {
        // Root's processes can't be bounded: its commands run as the one whom the workspace belongs to.
        if (process.getuid?.() === 0) chownSync(folder, ORDINARY, ORDINARY);
        small = await smallDisk(join(folder, "small"));
        return small ?? {};
      });
      return { ...world, limits, ...(small === undefined ? {} : { small: `${world.root}/small` }) };
    },
  });
});
