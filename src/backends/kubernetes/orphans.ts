import { connect } from "./client.ts";
import { unavailable } from "./failure.ts";
import { checkOwner, type KubernetesOrphans, MANAGED, OWNER_LABEL } from "./options.ts";
import { deletePod } from "./pod.ts";

/** Deletes an owner's pods, and answers their names. */
export async function removeOrphans(options: KubernetesOrphans): Promise<readonly string[]> {
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
