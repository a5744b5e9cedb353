import type { Backend } from "../backend.ts";
import { randomHex } from "../lib/random-hex.ts";
import { connect } from "./kubernetes/client.ts";
import type { KubernetesBackendOptions } from "./kubernetes/options.ts";
import { deletePod, openPod } from "./kubernetes/pod.ts";
import { posixBackend } from "./posix.ts";

export type {
  KubernetesBackendOptions,
  KubernetesConnection,
  KubernetesPodOptions,
  KubernetesToleration,
  KubernetesVolume,
} from "./kubernetes/options.ts";
export { removeKubernetesOrphans } from "./kubernetes/orphans.ts";
export { kubernetesUsable } from "./kubernetes/usable.ts";

/**
 * A pod of a Kubernetes cluster: made, or found again by its name. Needs the package `@kubernetes/client-node`.
 * @throws ToolgateError `backend_unavailable` with the cluster's reason, `already_exists`, `missing_dependency`, `usage`, `aborted`
 */
export async function kubernetesBackend(options: KubernetesBackendOptions): Promise<Backend> {
  const client = await connect(options);
  const { name, made, transport, cwd, home } = await openPod(client, options);
  const { keep = !made, graceSeconds = 5 } = options;
  return posixBackend({
    id: `kubernetes:${client.namespace}/${name}`,
    scratch: `/tmp/toolgate-${randomHex(8)}`,
    confine: {
      available: false,
      why: "A pod holds all of its commands in alike: its own user, limits and network policy.",
    },
    dispose: async () => {
      if (!keep) await deletePod(client, name, graceSeconds);
    },
    ...{ transport, cwd, home },
  });
}
