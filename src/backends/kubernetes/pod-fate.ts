import { setTimeout as pause } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { ToolgateError } from "../../errors.ts";
import type { KubernetesClient } from "./client.ts";
import { unavailable } from "./failure.ts";
import { findPod } from "./follow-pod.ts";
import { fateOf } from "./judge-pod.ts";

/** How long a lost place is looked at for the reason, and one whose command was killed: a cluster's status comes late. */
const LOST_MS = 3000;
const KILLED_MS = 500;
const LOOK_MS = 150;
/** What runtimes say when a pod has as many processes as its node lets it have, runc in words of its own. */
const FULL = /read init-p: connection reset by peer|resource temporarily unavailable/i;
const FULL_HINT =
  "It seems to have as many processes as it may have (podPidsLimit of its node). End what runs in it, or delete the pod.";

/** The error for a pod that can't be used any more, with what became of it; with `said` when nothing is known to have. */
export async function lost(
  client: KubernetesClient,
  name: string,
  restarts: number,
  said: string,
  cause?: unknown,
): Promise<ToolgateError> {
  const place = `The pod ${client.namespace}/${name}`;
  try {
    const fate = await fateWithin(client, name, restarts, LOST_MS);
    const what = fate === undefined ? `can't be used: ${said}` : `is lost: ${fate}`;
    const full = fate === undefined && FULL.test(said);
    return new ToolgateError("backend_unavailable", `${place} ${what}`, {
      ...(full ? { hint: FULL_HINT } : {}),
      cause,
    });
  } catch (error) {
    return unavailable(`${place} can't be reached`, client.server, error);
  }
}

/** What became of the pod when one of its commands was killed; `undefined` when it seems to live on. */
export async function fateOfKilled(
  client: KubernetesClient,
  name: string,
  restarts: number,
): Promise<string | undefined> {
  try {
    return await fateWithin(client, name, restarts, KILLED_MS);
  } catch {
    // Only asked in order to say more than is known already.
    return undefined;
  }
}

async function fateWithin(
  client: KubernetesClient,
  name: string,
  restarts: number,
  limitMs: number,
): Promise<string | undefined> {
  for (const deadline = Date.now() + limitMs; ; await pause(LOOK_MS)) {
    const fate = fateOf((await findPod(client, name)).pod, restarts);
    if (fate !== undefined || Date.now() > deadline) return fate;
  }
}

/** Whether a pod's container is about to be back. */
export async function isRestarting(client: KubernetesClient, name: string): Promise<boolean> {
  const { pod } = await findPod(client, name).catch(() => ({ pod: undefined }));
  return pod?.status?.phase === "Running" && pod.metadata?.deletionTimestamp === undefined && !runs(pod);
}

function runs(pod: V1Pod): boolean {
  return pod.status?.containerStatuses?.[0]?.state?.running !== undefined;
}
