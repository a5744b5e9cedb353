import { afterAll, beforeAll, describe, it } from "vitest";
import { has } from "../../test/require.ts";
import { spawnStandIn } from "../../test/stand-ins/kubernetes/spawn-stand-in.ts";
import { backendContract, type ContractWorld } from "../testing/backend-contract.ts";
import { toolContract } from "../testing/tool-contract.ts";
import { kubernetesBackend } from "./kubernetes.ts";

describe.skipIf(!has("bwrap"))("in one pod of the Kubernetes stand-in", () => {
  let standIn: Awaited<ReturnType<typeof spawnStandIn>>;
  let rows = 0;

  beforeAll(async () => {
    standIn = await spawnStandIn();
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  /** An empty directory in the one pod, which is found again by its name each time. */
  const create = async (): Promise<ContractWorld> => {
    const { kubeconfig } = standIn;
    const backend = await kubernetesBackend({ kubeconfig, image: "debian:12", name: "contract", keep: true });
    rows += 1;
    const root = `${backend.cwd}/${rows}`;
    await backend.mkdir(root);
    return { backend, root };
  };

  const name = "the Kubernetes backend, against a stand-in for the API server,";
  backendContract({ name: `T${name.slice(1)}`, runner: { describe, it }, create });
  toolContract({ name, runner: { describe, it }, create });
});
