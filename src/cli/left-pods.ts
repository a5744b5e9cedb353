import { isToolgateError } from "../errors.ts";
import { parseBackend } from "./backend-choice.ts";
import { note } from "./output.ts";

/**
 * Whose pods are those that this process makes, by `TOOLGATE_POD_OWNER`: in a cluster the name of the pod that it runs in itself, which is
 * the same after a restart. No two that run at once may have the same.
 */
export function podOwner(): string | undefined {
  return process.env.TOOLGATE_POD_OWNER || undefined;
}

/** Removes the pods that an earlier process of the same owner has left behind. What keeps it from that is said, and keeps nothing else. */
export async function removeLeftPods(backend: string | undefined): Promise<void> {
  const owner = podOwner();
  if (owner === undefined || backend === undefined) return;
  const choice = parseBackend(backend);
  if (choice.kind !== "k8s") return;
  const { removeKubernetesOrphans } = await import("../backends/kubernetes.ts");
  try {
    const removed = await removeKubernetesOrphans({ namespace: choice.namespace, owner });
    if (removed.length > 0) note(`toolgate: removed pods that were left behind: ${removed.join(", ")}`);
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    note(`toolgate: pods that were left behind can't be removed: ${error.text}`);
  }
}
