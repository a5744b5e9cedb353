import { describe, it } from "vitest";
import { TEST_USER } from "../../test/docker.ts";
import { has } from "../../test/require.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { lasting } from "./docker/fixtures/lasting.ts";

const runner = { describe, it };

describe.skipIf(!has("docker"))("with a Docker engine", () => {
  describe("whose container's root can be written", () => {
    const container = lasting({});
    backendContract({
      name: "A Docker container",
      runner,
      create: () => container.world(),
      only: ["confining"],
    });
  });

  describe("whose container is read-only, and used by an ordinary user", () => {
    const container = lasting({ readOnly: true, user: TEST_USER });
    backendContract({ name: "A read-only Docker container", runner, create: () => container.world() });
  });
});
