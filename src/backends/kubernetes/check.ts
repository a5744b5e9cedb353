import { isToolgateError } from "../../errors.ts";
import { connect, type KubernetesClient } from "./client.ts";
import { unavailable } from "./failure.ts";
import type { KubernetesConnection } from "./options.ts";

/** Whether a kind of place can be used from here, in one sentence. */
export interface KubernetesCheck {
  readonly usable: boolean;
  readonly detail: string;
}

/** What the backend can't do without; the Role in deploy/kubernetes grants it. */
const NEEDED = [
  ["create", "pods"],
  ["delete", "pods"],
  ["list", "pods"],
  ["watch", "pods"],
  ["get", "pods", "exec"],
  ["create", "pods", "exec"],
] as const;

/** Asks the cluster whether pods may be made and used there, without making one. Never rejects. */
export async function checkKubernetes(connection: KubernetesConnection = {}): Promise<KubernetesCheck> {
  try {
    const client = await connect(connection);
    const { server, namespace } = client;
    const refused = (await Promise.all(NEEDED.map((right) => refusal(client, right)))).flat();
    if (refused.length === 0) return { usable: true, detail: `${server}, namespace ${namespace}` };
    const what = `not allowed in namespace ${namespace} of ${server}: ${refused.join(", ")}`;
    return { usable: false, detail: `${what}. Give the user the Role of deploy/kubernetes.` };
  } catch (error) {
    return { usable: false, detail: isToolgateError(error) ? error.text : String(error) };
  }
}

async function refusal(
  { authorization, namespace, server }: KubernetesClient,
  [verb, resource, subresource]: (typeof NEEDED)[number],
): Promise<readonly string[]> {
  const attributes = { namespace, verb, resource, ...(subresource === undefined ? {} : { subresource }) };
  try {
    const { status } = await authorization.createSelfSubjectAccessReview({
      body: { spec: { resourceAttributes: attributes } },
    });
    return status?.allowed ? [] : [`${verb} ${[resource, subresource].filter(Boolean).join("/")}`];
  } catch (error) {
    throw unavailable("The cluster can't be asked", server, error);
  }
}
