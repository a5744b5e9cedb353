import { afterAll, beforeAll, describe, it } from "vitest";
import { has } from "../../../test/require.ts";
import { canLimit } from "../../../test/stand-ins/kubernetes/cgroup.ts";
import { type SpawnedStandIn, spawnStandIn } from "../../../test/stand-ins/kubernetes/spawn-stand-in.ts";
import { escapeContract } from "../../testing/escape-contract.ts";
import { kubernetesBackend } from "../kubernetes.ts";

const POD = "escapes";
const [PROCESSES, MEMORY_MIB] = [200, 512];
const none = "this machine lets the stand-in set none";

describe.skipIf(!has("bwrap"))("in a pod of the Kubernetes stand-in", () => {
  let standIn: SpawnedStandIn;
  let rows = 0;
  beforeAll(async () => {
    standIn = await spawnStandIn({ podPidsLimit: PROCESSES });
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  escapeContract({
    name: "a Kubernetes pod, against a stand-in for the API server",
    runner: { describe, it },
    /** An empty directory in the one pod, or in a new one when a row has taken it away. */
    async create() {
      const backend = await kubernetesBackend({
        kubeconfig: standIn.kubeconfig,
        image: "debian:12",
        name: POD,
        keep: true,
        resources: { limits: { memory: `${MEMORY_MIB}Mi` } },
      });
      rows += 1;
      const root = `${backend.cwd}/${rows}`;
      await backend.mkdir(root);
      return {
        backend,
        root,
        apart: true,
        limits: { processes: PROCESSES, memoryBytes: MEMORY_MIB * 1024 * 1024 },
        loseConnection: () => standIn.cut(),
        removePlace: () => standIn.deletePod(POD),
      };
    },
    lacks: {
      outsideView: "nobody looks into a pod from outside",
      smallDisk: "the stand-in's volumes are plain folders",
      ...(canLimit() ? {} : { memoryLimit: none, processLimit: none }),
    },
  });
});
