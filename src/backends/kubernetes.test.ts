import { afterAll, beforeAll, describe, it } from "vitest";
import { has } from "../../test/require.ts";
import { spawnStandIn } from "../../test/stand-ins/kubernetes/spawn-stand-in.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { kubernetesBackend } from "./kubernetes.ts";

describe.skipIf(!has("bwrap"))("in one pod of the Kubernetes stand-in", () => {
  let standIn: Awaited<ReturnType<typeof spawnStandIn>>;
  let rows = 0;

  beforeAll(async () => {
    standIn = await spawnStandIn();
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  backendContract({
    name: "The Kubernetes backend, against a stand-in for the API server,",
    runner: { describe, it },
    async create() {
      const { kubeconfig } = standIn;
      // One pod for all rows, found again by its name each time.
      const backend = await kubernetesBackend({
        kubeconfig,
        image: "debian:12",
        name: "contract",
        keep: true,
      });
      rows += 1;
      const root = `${backend.cwd}/${rows}`;
      await backend.mkdir(root);
      return { backend, root };
    },
  });
});
