import { describe, it } from "vitest";
import { has } from "../../test/require.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { sandboxWorld } from "./bubblewrap/fixtures/world.ts";

describe.skipIf(!has("bwrap"))("with bubblewrap", () => {
  backendContract({
    name: "The bubblewrap backend",
    runner: { describe, it },
    // The rows about confinement need a network to do without.
    create: () => sandboxWorld({ network: true }),
  });
});
