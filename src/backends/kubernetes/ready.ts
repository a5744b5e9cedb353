import { ToolgateError } from "../../errors.ts";
import type { KubernetesClient } from "./client.ts";
import { unavailable } from "./failure.ts";
import { followPod } from "./follow-pod.ts";
import { judgePod, lastWarning, type Verdict } from "./judge-pod.ts";
import { CONTAINER } from "./pod-spec.ts";

const LOG_LINES = 3;

/**
 * Waits until a pod runs, and answers how often its container has been restarted.
 * @throws ToolgateError `backend_unavailable` with the cluster's own reason, as soon as waiting is hopeless or after `limitMs`; `aborted`
 */
export async function waitUntilReady(
  client: KubernetesClient,
  name: string,
  limitMs: number,
  given?: AbortSignal,
): Promise<number> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = given === undefined ? limit : AbortSignal.any([given, limit]);
  const heard = { why: "nothing has been heard of it", uid: "" };
  try {
    const verdict = await followPod<Verdict>(
      client,
      name,
      (pod) => {
        if (pod === undefined) return { state: "gone", why: "it has been deleted" };
        heard.uid = pod.metadata?.uid ?? "";
        const now = judgePod(pod);
        if (now.state !== "waiting") return now;
        heard.why = now.why;
        return undefined;
      },
      signal,
    );
    if (verdict.state === "ready") return verdict.restarts;
    throw await notReady(client, name, { ...heard, why: verdict.why }, "");
  } catch (error) {
    if (given?.aborted) {
      throw new ToolgateError("aborted", `Waiting for the pod ${client.namespace}/${name} was given up.`);
    }
    if (limit.aborted) throw await notReady(client, name, heard, ` within ${limitMs / 1000} s`);
    throw unavailable(`The pod ${client.namespace}/${name} can't be watched`, client.server, error);
  }
}

async function notReady(
  client: KubernetesClient,
  name: string,
  { why, uid }: { readonly why: string; readonly uid: string },
  within: string,
): Promise<ToolgateError> {
  const [warning, log] = await Promise.all([
    warningOf(client, uid, why),
    why.includes("CrashLoopBackOff") ? logOf(client, name) : undefined,
  ]);
  const parts = [
    why,
    warning,
    log === undefined || log === "" ? undefined : `its last words were ${JSON.stringify(log)}`,
  ].filter((part) => part !== undefined);
  const message = `The pod ${client.namespace}/${name} did not become ready${within}: ${parts.join("; ")}`;
  return new ToolgateError("backend_unavailable", message, hintFor(why));
}

function hintFor(why: string): { readonly hint?: string } {
  if (/ImagePull|InvalidImageName|ErrImage/.test(why)) {
    return { hint: "Check the image's name and the image pull secrets." };
  }
  if (why.startsWith("CrashLoopBackOff")) return { hint: "The image needs a POSIX sh and sleep." };
  if (why.startsWith("Unschedulable")) {
    return { hint: "Ask for less, or for other nodes; an autoscaler may need a longer readyTimeoutMs." };
  }
  return {};
}

/** What the cluster warned of last, of this pod and no earlier one of its name; nothing when that can't be found out: it only adds. */
async function warningOf(
  { core, namespace }: KubernetesClient,
  uid: string,
  known: string,
): Promise<string | undefined> {
  const fieldSelector = `involvedObject.uid=${uid}`;
  try {
    return lastWarning((await core.listNamespacedEvent({ namespace, fieldSelector })).items, known);
  } catch {
    return undefined;
  }
}

async function logOf({ core, namespace }: KubernetesClient, name: string): Promise<string | undefined> {
  try {
    const log = await core.readNamespacedPodLog({
      ...{ namespace, name },
      container: CONTAINER,
      tailLines: LOG_LINES,
    });
    return log.trim();
  } catch {
    return undefined;
  }
}
