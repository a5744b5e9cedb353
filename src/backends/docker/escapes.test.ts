import { afterAll, beforeAll, describe, it } from "vitest";
import { docker, endInContainer, processesWith, TEST_USER } from "../../../test/docker.ts";
import { type DockerProxy, dockerProxy } from "../../../test/docker-proxy.ts";
import { has } from "../../../test/require.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { escapeContract } from "../../testing/escape-contract.ts";
import { lasting } from "./fixtures/lasting.ts";

const runner = { describe, it };
const [PROCESSES, MEMORY_MIB, TMP_MIB] = [100, 256, 4];

describe.skipIf(!has("docker"))("in a small container at the end of a line that can be cut", () => {
  let proxy: DockerProxy | undefined;
  beforeAll(async () => {
    proxy = await dockerProxy();
  });
  afterAll(async () => proxy?.[Symbol.asyncDispose]());
  const container = lasting({
    readOnly: true,
    user: TEST_USER,
    pids: PROCESSES,
    memoryMiB: MEMORY_MIB,
    tmpMiB: TMP_MIB,
  });

  escapeContract({
    name: "a Docker container",
    runner,
    async create() {
      const world = await container.world(proxy?.host);
      const small = `/tmp/${randomHex(6)}`;
      await world.backend.mkdir(small);
      return {
        ...world,
        apart: true,
        limits: { processes: PROCESSES, memoryBytes: MEMORY_MIB * 1024 * 1024 },
        small,
        loseConnection: () => proxy?.cut(),
        removePlace: () => void docker(["rm", "-fv", container.name]),
        running: processesWith,
        endSurvivor: (pid) => endInContainer(container.name, pid),
        dispose: () => container.run(["sh", "-c", "rm -rf /tmp/*"]),
      };
    },
  });
});
