import { chownSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { has } from "../../test/require.ts";
import { type SmallDisk, smallDisk } from "../../test/small-disk.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { type EscapeWorld, escapeContract } from "../testing/escape-contract.ts";
import { toolContract } from "../testing/tool-contract.ts";
import { sandboxWorld } from "./bubblewrap/fixtures/world.ts";

const runner = { describe, it };
/** For rows that wait much, and go by no memory or environment of this process. */
const sideBySide = { describe: describe.concurrent, it };
const name = "a bubblewrap sandbox";
const ORDINARY = 65_534;

describe.skipIf(!has("bwrap"))("with bubblewrap", () => {
  // The rows about confinement need a network to do without.
  const create = (): Promise<EscapeWorld> => sandboxWorld({ network: true });
  backendContract({
    name: "The bubblewrap backend, side by side,",
    runner: sideBySide,
    create,
    only: ["reading", "writing", "links", "stopping", "confining"],
  });
  backendContract({
    name: "The bubblewrap backend",
    runner,
    create,
    only: ["large files", "running", "output"],
  });
  toolContract({ name, runner: sideBySide, create: () => sandboxWorld({}) });
  escapeContract({
    name,
    runner,
    lacks: { connection: "there is none", removal: "it is a directory of the host" },
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
