import { isToolgateError } from "../../errors.ts";
import { connect, type KubernetesClient } from "./client.ts";
import { unavailable } from "./failure.ts";
import type { KubernetesConnection } from "./options.ts";

/** What the backend can't do without; the Role in deploy/kubernetes grants it. */
const NEEDED = [
  ["create", "pods"],
  ["delete", "pods"],
  ["list", "pods"],
  ["watch", "pods"],
  ["get", "pods", "exec"],
  ["create", "pods", "exec"],
] as const;

/** Asks the cluster whether the backend's rights are there. */
export async function usable(
  connection: KubernetesConnection,
): Promise<{ readonly usable: boolean; readonly why?: string }> {
  try {
    const client = await connect(connection);
    const refused = (await Promise.all(NEEDED.map((right) => refusal(client, right)))).flat();
    if (refused.length === 0) return { usable: true };
    const why = `Not allowed in namespace ${client.namespace} of ${client.server}: ${refused.join(", ")}.`;
    return { usable: false, why: `${why} Give the user the Role of deploy/kubernetes.` };
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { usable: false, why: error.text };
  }
}

async function refusal(
  { authorization, namespace, server }: KubernetesClient,
  [verb, resource, subresource]: (typeof NEEDED)[number],
): Promise<readonly string[]> {
  const resourceAttributes = {
    ...{ namespace, verb, resource },
    ...(subresource === undefined ? {} : { subresource }),
  };
  try {
    const body = { spec: { resourceAttributes } };
    const { status } = await authorization.createSelfSubjectAccessReview({ body });
    return status?.allowed ? [] : [[verb, [resource, subresource].filter(Boolean).join("/")].join(" ")];
  } catch (error) {
    throw unavailable("The cluster can't be asked what is allowed", server, error);
  }
}
