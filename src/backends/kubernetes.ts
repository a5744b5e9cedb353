import type { Backend } from "../backend.ts";
import type {
  KubernetesBackendOptions,
  KubernetesConnection,
  KubernetesOrphans,
} from "./kubernetes/options.ts";

export type {
  KubernetesBackendOptions,
  KubernetesConnection,
  KubernetesOrphans,
  KubernetesPodOptions,
  KubernetesToleration,
  KubernetesVolume,
} from "./kubernetes/options.ts";

/**
 * A pod of a Kubernetes cluster: made, or found again by its name. Needs the package `@kubernetes/client-node`.
 * @throws ToolgateError `backend_unavailable` with the cluster's reason, `already_exists`, `missing_dependency`, `usage`, `aborted`
 */
export async function kubernetesBackend(options: KubernetesBackendOptions): Promise<Backend> {
  const { openKubernetes } = await import("./kubernetes/open.ts");
  return openKubernetes(options);
}

/**
 * Deletes the pods that an owner has left behind, with their volumes, and answers their names. For the start of a program that
 * died without cleaning up: an owner's pods that are still in use go too. Volumes made with `keep` stay.
 * @throws ToolgateError `backend_unavailable`, `missing_dependency`, `usage`
 */
export async function removeKubernetesOrphans(options: KubernetesOrphans): Promise<readonly string[]> {
  const { removeOrphans } = await import("./kubernetes/orphans.ts");
  return removeOrphans(options);
}

/** Whether pods may be made and used in the cluster, found out by asking it, without making one; when not, why. */
export async function kubernetesUsable(
  connection: KubernetesConnection = {},
): Promise<{ readonly usable: boolean; readonly why?: string }> {
  const { usable } = await import("./kubernetes/usable.ts");
  return usable(connection);
}
