import { describe, it } from "vitest";
import { has } from "../../../test/require.ts";
import { toolContract } from "../../testing/tool-contract.ts";
import { lasting } from "./fixtures/lasting.ts";

describe.skipIf(!has("docker"))("with a Docker engine", () => {
  const container = lasting({});
  toolContract({ name: "a Docker container", runner: { describe, it }, create: () => container.world() });
});
