import { connect } from "./client.ts";
import { unavailable } from "./failure.ts";
import { checkOwner, type KubernetesConnection, MANAGED, OWNER_LABEL } from "./options.ts";
import { deletePod } from "./pod.ts";

/**
 * Deletes the pods that an owner has left behind, with their volumes, and answers their names. For the start of a program that
 * died without cleaning up: an owner's pods that are still in use go too. Claims made with `keep` stay.
 * @throws ToolgateError `backend_unavailable`
 */
export async function removeKubernetesOrphans(
  options: KubernetesConnection & {
    readonly owner: string;
    /** Spares the pods that are younger than this. @default 0 */
    readonly olderThanMs?: number;
  },
): Promise<readonly string[]> {
  const { owner, olderThanMs = 0 } = options;
  const client = await connect(options);
  const { core, namespace, server } = client;
  const labels = Object.entries({ ...MANAGED, [OWNER_LABEL]: checkOwner(owner) });
  const labelSelector = labels.map(([label, value]) => `${label}=${value}`).join(",");
  const { items } = await core.listNamespacedPod({ namespace, labelSelector }).catch((error: unknown) => {
    throw unavailable(`The pods of ${owner} can't be listed`, server, error);
  });
  const names = items.flatMap(({ metadata }) => {
    const made = new Date(metadata?.creationTimestamp ?? 0).getTime();
    return metadata?.name !== undefined && Date.now() - made >= olderThanMs ? [metadata.name] : [];
  });
  await Promise.all(names.map((name) => deletePod(client, name, 0)));
  return names;
}
