import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docker, leftBehind, TEST_USER, testImage } from "../../test/docker.ts";
import { has } from "../../test/require.ts";
import type { Backend } from "../backend.ts";
import { randomHex } from "../lib/random-hex.ts";
import { type BackendContractOptions, backendContract } from "../testing/backend-contract.ts";
import { type DockerBackendOptions, dockerBackend } from "./docker.ts";

/** Each with a container that stays for all rows: a row finds it again by its name, and has a directory of its own. */
const CONTAINERS: readonly {
  readonly title: string;
  readonly options: Partial<DockerBackendOptions>;
  readonly only?: BackendContractOptions["only"];
}[] = [
  { title: "A Docker container", options: {}, only: ["running", "stopping", "confining"] },
  { title: "A read-only Docker container with a user", options: { readOnly: true, user: TEST_USER } },
];

describe.skipIf(!has("docker"))("with a Docker engine", () => {
  for (const { title, options, only } of CONTAINERS) {
    describe(title, () => {
      const name = `toolgate-test-${randomHex(6)}`;
      const label = `toolgate.test=${name}`;
      const open = (): Promise<Backend> =>
        dockerBackend({ image: testImage(), name, labels: { "toolgate.test": name }, ...options });
      let holding: Backend | undefined;
      let rows = 0;
      beforeAll(async () => {
        holding = await open();
      });
      afterAll(async () => {
        await holding?.[Symbol.asyncDispose]();
        docker(["rm", "-fv", name]);
        expect(leftBehind(label)).toEqual([]);
      });
      backendContract({
        name: title,
        runner: { describe, it },
        ...(only === undefined ? {} : { only }),
        async create() {
          const backend = await open();
          rows += 1;
          const root = `${backend.cwd}/${rows}`;
          await backend.mkdir(root);
          return { backend, root };
        },
      });
    });
  }
});
