import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docker, leftBehind, TEST_USER, testImage } from "../../test/docker.ts";
import { type DockerProxy, dockerProxy } from "../../test/docker-proxy.ts";
import { has } from "../../test/require.ts";
import type { Backend } from "../backend.ts";
import { randomHex } from "../lib/random-hex.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { escapeContract } from "../testing/escape-contract.ts";
import { toolContract } from "../testing/tool-contract.ts";
import { type DockerBackendOptions, dockerBackend } from "./docker.ts";

const runner = { describe, it };
const [PROCESSES, MEMORY_MIB, TMP_MIB] = [100, 256, 4];

describe.skipIf(!has("docker"))("with a Docker engine", () => {
  describe("a container", () => {
    const container = lasting({});
    backendContract({
      name: "A Docker container",
      runner,
      create: () => container.world(),
      only: ["running", "confining"],
    });
  });

  describe("a read-only container, as an ordinary user", () => {
    const container = lasting({ readOnly: true, user: TEST_USER });
    backendContract({ name: "A read-only Docker container", runner, create: () => container.world() });
    toolContract({ name: "a Docker container", runner, create: () => container.world() });
  });

  describe("a small container at the end of a line that can be cut", () => {
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
          dispose: () => container.run(["rm", "-rf", small]),
        };
      },
    });
  });
});

/** A container that stays for all rows, each of which finds it again by its name, and has a directory of its own. */
function lasting(options: Partial<DockerBackendOptions>) {
  const name = `toolgate-test-${randomHex(6)}`;
  const open = (host?: string): Promise<Backend> =>
    dockerBackend({
      image: testImage(),
      name,
      labels: { "toolgate.test": name },
      ...options,
      ...(host === undefined ? {} : { host }),
    });
  let holding: Backend | undefined;
  let rows = 0;
  beforeAll(async () => {
    holding = await open();
  });
  afterAll(async () => {
    await holding?.[Symbol.asyncDispose]();
    docker(["rm", "-fv", name]);
    expect(leftBehind(`toolgate.test=${name}`)).toEqual([]);
  });
  return {
    name,
    /** Runs a program in it, if it is still there. */
    run(argv: readonly string[]): void {
      if (docker(["ps", "-q", "--filter", `name=${name}`]) !== "") docker(["exec", name, ...argv]);
    },
    async world(host?: string): Promise<{ readonly backend: Backend; readonly root: string }> {
      const backend = await open(host);
      rows += 1;
      const root = `${backend.cwd}/${rows}`;
      await backend.mkdir(root);
      return { backend, root };
    },
  };
}
